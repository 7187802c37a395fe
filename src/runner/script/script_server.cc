#include "runner/script/script_server.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/write_queue.h"
#include "os/file.h"
#include "os/peer.h"
#include "os/proc.h"
#include "os/random.h"
#include "os/unix_socket.h"
#include "runner/limits.h"

namespace talaria::runner {
namespace {

constexpr std::size_t kPiece = 64u << 10;
constexpr std::size_t kUnreadCalls = 4u << 20;  // bytes the controller has not taken
constexpr std::size_t kMostClients = 512;       // at once
constexpr std::size_t kTakerKey = 16;           // random bytes

// The last two are written there by the command that starts it.
constexpr std::array<const char*, 5> kFiles{"/script.py", "/hermes_tools.py", "/errors", "/names",
                                            "/sitecustomize.py"};

Result<void> write_new(const std::string& path, std::string_view content) {
  const auto file = os::open_file(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  return file ? os::write_all(file->get(), content) : fail(file.error());
}

}  // namespace

ScriptServer::ScriptServer(asio::io_context& loop, Place place, std::uint64_t error_limit)
    : loop_(loop),
      place_(std::move(place)),
      error_limit_(error_limit),
      acceptor_(loop),
      error_pipe_(loop),
      calls_(0, kUnreadCalls, {}),
      taker_(std::make_shared<ScriptTaker>(os::random_hex(kTakerKey))) {}

Result<std::shared_ptr<ScriptServer>> ScriptServer::open(asio::io_context& loop, Place place,
                                                         const link::Script& script) {
  std::shared_ptr<ScriptServer> server(
      new ScriptServer(loop, std::move(place), script.error_limit));
  if (const auto made = server->make(script); !made) {
    return fail(made.error().kind(), "the script cannot be put there: " + made.error().message());
  }
  spawn(loop.get_executor(), server->accept());
  spawn(loop.get_executor(), server->watch_errors());
  return server;
}

ScriptServer::~ScriptServer() { remove_files(); }

void ScriptServer::remove_files() const {
  for (const char* name : kFiles) os::remove_file(place_.directory + name);
  ::rmdir(place_.directory.c_str());
  os::remove_file(place_.socket);
}

Result<void> ScriptServer::make(const link::Script& script) {
  if (const auto made = os::make_private_directory(place_.directory); !made) return made;
  for (const auto& [name, content] :
       {std::pair(kFiles[0], &script.source), std::pair(kFiles[1], &script.module)}) {
    if (const auto written = write_new(place_.directory + name, *content); !written) return written;
  }
  const std::string errors = place_.directory + kFiles[2];
  if (::mkfifo(errors.c_str(), 0600) < 0) return fail(Error::from_errno("mkfifo " + errors));
  // For reading and writing: so it has no end before a process has opened it.
  auto pipe = os::open_file(errors, O_RDWR | O_NONBLOCK);
  if (!pipe) return fail(pipe.error());
  error_pipe_.assign(pipe->release());
  auto listener = os::listen_at_socket(place_.socket);
  if (!listener) return fail(listener.error());
  acceptor_ = Acceptor(loop_, asio::local::stream_protocol(), listener->release());
  return {};
}

std::string ScriptServer::socket_name() const {
  return place_.socket.substr(place_.socket.rfind('/') + 1);
}

shell::NameMap ScriptServer::variables() const {
  return {{kDirectoryVariable, place_.directory}, {kSocketVariable, place_.socket}};
}

Task<void> ScriptServer::accept() {
  const auto self = shared_from_this();
  asio::steady_timer pause(loop_);
  while (!ended_) {
    auto [error, socket] = co_await acceptor_.async_accept(as_values);
    if (ended_) co_return;
    if (error || clients_.size() + undecided_ >= kMostClients) {  // others must end first
      pause.expires_after(kAcceptPause);
      co_await pause.async_wait(as_values);
      continue;  // one too many is closed
    }
    if (!is_of_script(socket.native_handle())) {
      spawn(loop_.get_executor(), taker_->serve(std::move(socket)));
      continue;
    }
    spawn(loop_.get_executor(), give_or_serve(++connections_, std::move(socket)));
  }
}

Task<void> ScriptServer::give_or_serve(std::uint32_t number, Socket socket) {
  const auto self = shared_from_this();
  ++undecided_;
  co_await taker_->decided();
  --undecided_;
  if (ended_ || taker_->give(number, socket)) co_return;
  const auto client = std::make_shared<Client>(std::move(socket));
  clients_.emplace(number, client);
  co_await serve(number, client);
}

bool ScriptServer::is_of_script(int connection) const {
  const auto pid = os::peer_process(connection);
  return reaper_ > 0 && pid && os::is_descendant(reaper_, *pid);
}

// Waits for it. False: the script has ended.
Task<bool> ScriptServer::has_room(std::size_t size) {
  while (!ended_ && calls_.room_before_losing(taken_) < link::kScriptRecordHeader + size) {
    co_await room_.wait();
  }
  co_return !ended_;
}

Task<void> ScriptServer::serve(std::uint32_t number, std::shared_ptr<Client> client) {
  const auto self = shared_from_this();
  std::string piece(kPiece, '\0');
  for (;;) {
    if (!co_await has_room(kPiece)) co_return;
    const auto [error, size] =
        co_await client->socket.async_read_some(asio::buffer(piece), as_values);
    if (!co_await has_room(size)) co_return;  // others may have used it meanwhile
    add_record(number, std::string_view(piece).substr(0, error ? 0 : size));
    if (error) break;
  }
  // It may have closed its own direction only: what it asked for is still given, until it is gone
  // altogether, or closed.
  if (client->socket.is_open()) {
    co_await client->socket.async_wait(Socket::wait_error, as_values);
  }
  clients_.erase(number);
}

void ScriptServer::add_record(std::uint32_t connection, std::string_view bytes) {
  calls_.append(link::encode_record({.connection = connection, .bytes = bytes}));
  tell_news();
}

void ScriptServer::tell_news() const {
  if (news_) news_();
}

void ScriptServer::reader_at(std::uint64_t cursor) {
  if (cursor <= taken_) return;
  taken_ = cursor;
  room_.notify_all();
}

void ScriptServer::answer(const link::ScriptAnswer& part) {
  if (part.number < given_below_ || given_.contains(part.number)) return;
  Parts& parts = unfinished_[part.number];
  if (part.close) {
    close_after_writing(part.connection);
  } else {
    if (part.from != parts.bytes.size()) return;  // it was here before
    parts.connection = part.connection;
    parts.bytes += part.data;
    if (!part.last) return;
    give(parts.connection, std::move(parts.bytes));
  }
  unfinished_.erase(part.number);
  given_.insert(part.number);
  for (; given_.contains(given_below_); ++given_below_) given_.erase(given_below_);
}

void ScriptServer::give(std::uint32_t connection, std::string bytes) {
  const auto found = clients_.find(connection);
  if (found == clients_.end() || ended_) return;
  const std::shared_ptr<Client>& client = found->second;
  if (client->to_write.size() >= link::kMostUnread) {  // it does not read what it asks for
    boost::system::error_code ignored;
    client->socket.close(ignored);
    return;
  }
  client->to_write.push_back(std::move(bytes));
  if (!std::exchange(client->writing, true)) spawn(loop_.get_executor(), write_to(client));
}

Task<void> ScriptServer::write_to(std::shared_ptr<Client> client) {
  co_await write_queue(client->socket, client->to_write);
  client->writing = false;
  boost::system::error_code ignored;
  if (client->closes) client->socket.close(ignored);
}

void ScriptServer::close_after_writing(std::uint32_t connection) {
  const auto found = clients_.find(connection);
  if (found == clients_.end()) return;
  const std::shared_ptr<Client>& client = found->second;
  client->closes = true;
  boost::system::error_code ignored;
  if (!client->writing) client->socket.close(ignored);
}

Task<void> ScriptServer::watch_errors() {
  const auto self = shared_from_this();
  while (!ended_) {
    const auto [error] =
        co_await error_pipe_.async_wait(asio::posix::stream_descriptor::wait_read, as_values);
    if (error || ended_) co_return;
    read_errors();
  }
}

// False: there is nothing now.
bool ScriptServer::read_errors() {
  std::array<char, kPiece> piece;
  const ssize_t size = ::read(error_pipe_.native_handle(), piece.data(), piece.size());
  if (size <= 0) return false;
  errors_total_ += static_cast<std::uint64_t>(size);
  const std::uint64_t room = error_limit_ - std::min<std::uint64_t>(error_limit_, errors_.size());
  errors_.append(piece.data(), std::min<std::size_t>(room, static_cast<std::size_t>(size)));
  return true;
}

// The errors of its background children are lost from now on.
void ScriptServer::end() {
  if (std::exchange(ended_, true)) return;
  constexpr int kMostPieces = 64;  // of a process that keeps printing
  for (int piece = 0; piece < kMostPieces && read_errors(); ++piece) {
  }
  boost::system::error_code ignored;
  error_pipe_.close(ignored);
  acceptor_.close(ignored);
  taker_->end();
  room_.notify_all();
  for (const auto& [number, client] : clients_) client->socket.close(ignored);
  clients_.clear();
  remove_files();
  tell_news();
}

}  // namespace talaria::runner
