#include "runner/askpass/askpass.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <span>

#include "base/time_limit.h"
#include "os/channel.h"
#include "os/file.h"
#include "os/own_process.h"
#include "os/random.h"
#include "os/unix_socket.h"
#include "runner/askpass/askpass_main.h"
#include "runner/askpass/who_asks.h"
#include "runner/limits.h"

namespace talaria::runner {
namespace {

constexpr std::size_t kNonceBytes = 16;
constexpr auto kPatience = std::chrono::seconds(5);  // with a silent client

// Found through us: wherever the file is, and whatever becomes of it, this can be run.
std::string link_target() {
  const std::string program = os::own_program();
  return program == "/proc/self/exe" ? "/proc/" + std::to_string(::getpid()) + "/exe" : program;
}

// A slow reader must not block us: what does not fit into the pipe at once is not a password.
bool write_at_once(int pipe, const Secret& password) {
  os::set_nonblocking(pipe);
  std::string line;
  line.reserve(password.view().size() + 1);
  line.append(password.view()).push_back('\n');
  const bool written = ::write(pipe, line.data(), line.size()) == std::ssize(line);
  wipe(line);
  return written;
}

}  // namespace

Askpass::Askpass(asio::io_context& loop, std::string directory)
    : loop_(loop), directory_(std::move(directory)), acceptor_(loop) {}

Askpass::~Askpass() { close(); }

void Askpass::close() {
  boost::system::error_code ignored;
  acceptor_.close(ignored);
  if (socket_ && os::file_id(askpass_socket(directory_)) == socket_) {
    os::remove_file(askpass_socket(directory_));
    os::remove_file(askpass_program(directory_));
  }
  socket_.reset();
}

// They may have been removed.
Result<void> Askpass::be_there() {
  const std::string path = askpass_socket(directory_);
  const std::string program = askpass_program(directory_);
  if (socket_ && os::file_id(path) == socket_ && ::access(program.c_str(), X_OK) == 0) return {};
  boost::system::error_code ignored;
  acceptor_.close(ignored);
  ::unlink(program.c_str());
  if (::symlink(link_target().c_str(), program.c_str()) < 0) {
    return fail(Error::from_errno("symlink " + program));
  }
  auto listener = os::listen_at_socket(path);
  if (!listener) return fail(listener.error());
  socket_ = os::file_id(path);
  acceptor_ = Acceptor(loop_, asio::local::stream_protocol(), listener->release());
  spawn(loop_.get_executor(), accept());
  return {};
}

Result<std::shared_ptr<SudoGrant>> Askpass::grant(Secret password) {
  if (::geteuid() == 0) return nullptr;
  if (const auto there = be_there(); !there) {
    return fail(ErrorKind::unavailable,
                "sudo cannot be given its password here: " + there.error().message());
  }
  std::erase_if(grants_, [](const auto& one) { return one.expired(); });
  auto made = std::make_shared<SudoGrant>(std::move(password), os::random_hex(kNonceBytes));
  grants_.push_back(made);
  return made;
}

shell::NameMap Askpass::variables(const SudoGrant& grant) const {
  return {{"SUDO_ASKPASS", askpass_program(directory_)}, {kNonceVariable, grant.nonce()}};
}

std::shared_ptr<SudoGrant> Askpass::find(std::string_view nonce) const {
  for (const auto& weak : grants_) {
    const auto grant = weak.lock();
    if (grant && grant->nonce() == nonce) return grant;
  }
  return nullptr;
}

Task<void> Askpass::accept() {
  for (;;) {
    auto [error, socket] = co_await acceptor_.async_accept(as_values);
    if (error == asio::error::operation_aborted || !acceptor_.is_open()) co_return;
    if (error) {  // no descriptor left, most likely: others must end first
      asio::steady_timer pause(loop_, kAcceptPause);
      co_await pause.async_wait(as_values);
      continue;
    }
    spawn(loop_.get_executor(), serve(std::move(socket)));
  }
}

Task<void> Askpass::serve(Socket socket) const {
  const auto ready = co_await within(kPatience, socket.async_wait(Socket::wait_read, as_values));
  if (!ready) co_return;
  std::array<char, 2 * kNonceBytes + 1> nonce{};
  const auto message =
      os::receive_message(socket.native_handle(), std::as_writable_bytes(std::span(nonce)));
  if (!message || !message->has_value()) co_return;
  const char said =
      answer(socket.native_handle(), {nonce.data(), (*message)->size}, (*message)->fds);
  // One byte always fits; a client that does not take it has ended.
  (void)::send(socket.native_handle(), &said, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

char Askpass::answer(int peer, std::string_view nonce, const std::vector<os::UniqueFd>& fds) const {
  const auto say = [](AskpassAnswer answer) { return static_cast<char>(answer); };
  ucred caller{};
  socklen_t size = sizeof caller;
  if (::getsockopt(peer, SOL_SOCKET, SO_PEERCRED, &caller, &size) < 0) {
    return say(AskpassAnswer::refused);
  }
  const auto grant = find(nonce);
  if (!grant || !grant->open() || fds.size() != 1 || caller.uid != ::geteuid()) {
    return say(AskpassAnswer::refused);
  }
  const auto sudo = find_asking_sudo(caller.pid, grant->reaper());
  if (!sudo || !leads_to_root(fds.front().get())) return say(AskpassAnswer::refused);
  if (!grant->asks_first(sudo->pid, sudo->start_time)) return say(AskpassAnswer::rejected);
  const bool given = write_at_once(fds.front().get(), grant->password());
  return say(given ? AskpassAnswer::given : AskpassAnswer::refused);
}

}  // namespace talaria::runner
