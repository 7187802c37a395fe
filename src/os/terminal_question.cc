#include "os/terminal_question.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/write.hpp>

#include "os/file.h"
#include "os/proc.h"
#include "os/unique_fd.h"

namespace talaria::os {
namespace {

using Stream = asio::posix::stream_descriptor;
using Typing = TerminalQuestion::Typing;

constexpr std::size_t kLongestLine = 1024;
constexpr auto kTurnLook = std::chrono::milliseconds(50);

// Reading by lines, each ended by Enter. As before when this is gone.
class LineMode {
 public:
  LineMode(int fd, Typing typing) : fd_(fd) {
    has_before_ = ::tcgetattr(fd_, &before_) == 0;
    if (!has_before_) return;
    termios line = before_;
    line.c_iflag |= ICRNL;
    line.c_oflag |= OPOST | ONLCR;
    line.c_lflag |= ICANON | ISIG;
    const auto echo = static_cast<tcflag_t>(ECHO | ECHOE | ECHOK | ECHONL);
    if (typing == Typing::hidden) {
      line.c_lflag &= ~echo;
      line.c_cc[VSUSP] = _POSIX_VDISABLE;  // after a return the input would be visible
    } else {
      line.c_lflag |= ECHO | ECHOE;
    }
    ::tcsetattr(fd_, TCSAFLUSH, &line);
    ::tcflush(fd_, TCIFLUSH);
    line_ = line;
  }
  LineMode(const LineMode&) = delete;
  LineMode& operator=(const LineMode&) = delete;
  ~LineMode() {
    if (has_before_) ::tcsetattr(fd_, TCSADRAIN, &before_);
  }

  // A shell that had the terminal meanwhile may have set it otherwise.
  void set_again() const {
    if (has_before_) ::tcsetattr(fd_, TCSADRAIN, &line_);
  }

 private:
  int fd_;
  termios before_{};
  termios line_{};
  bool has_before_ = false;
};

// A process in the background would be stopped by the first key it reads.
bool is_in_foreground(int terminal) { return ::tcgetpgrp(terminal) == ::getpgrp(); }

Result<UniqueFd> open_terminal() {
  auto fd = open_file("/dev/tty", O_RDWR | O_NOCTTY | O_NONBLOCK);
  if (!fd) return fd;
  if (!is_in_foreground(fd->get())) {
    return fail(ErrorKind::unavailable, "another job has the terminal");
  }
  return fd;
}

// The terminal by its own name, for /dev/tty is the same file for all of them. Nothing: it has no
// name here, so nobody can be kept from it.
UniqueFd open_device() {
  constexpr unsigned kFirstPty = 136;
  constexpr unsigned kLastPty = 143;
  constexpr unsigned kPtysEach = 256;
  constexpr unsigned kConsole = 4;
  const auto own = read_process_stat(::getpid());
  if (!own) return {};
  const unsigned major = ::major(own->terminal);
  const unsigned minor = ::minor(own->terminal);
  std::string path;
  if (major >= kFirstPty && major <= kLastPty) {
    path = "/dev/pts/" + std::to_string((major - kFirstPty) * kPtysEach + minor);
  } else if (major == kConsole) {
    path = "/dev/tty" + std::to_string(minor);
  }
  if (path.empty()) return {};
  auto fd = open_file(path, O_RDONLY | O_NOCTTY | O_NONBLOCK);
  struct stat facts{};
  const bool same = fd && ::fstat(fd->get(), &facts) == 0 && ::isatty(fd->get()) == 1 &&
                    facts.st_rdev == own->terminal;
  return same ? std::move(*fd) : UniqueFd();
}

}  // namespace

TerminalQuestion::TerminalQuestion(Stream terminal)
    : terminal_(std::move(terminal)), turn_(terminal_.get_executor()) {}

bool TerminalQuestion::is_possible() { return open_terminal().has_value(); }

Result<std::shared_ptr<TerminalQuestion>> TerminalQuestion::open(
    const asio::any_io_executor& executor) {
  auto fd = open_terminal();
  if (!fd) return fail(fd.error());
  return std::shared_ptr<TerminalQuestion>(new TerminalQuestion(Stream(executor, fd->release())));
}

// A free lock is not announced, so we poll. False: given up.
Task<bool> TerminalQuestion::take_turn(int device) {
  while (!given_up_) {
    if (device < 0 || ::flock(device, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) {
      co_return true;
    }
    turn_.expires_after(kTurnLook);
    co_await turn_.async_wait(as_values);
  }
  co_return false;
}

Task<std::optional<Secret>> TerminalQuestion::read_line() {
  std::array<char, kLongestLine> chunk{};
  std::string line;
  line.reserve(2 * kLongestLine);  // never moved: that would leave a copy behind
  std::optional<Secret> typed;
  while (!given_up_ && line.size() <= kLongestLine) {
    const auto [error, size] = co_await terminal_.async_read_some(asio::buffer(chunk), as_values);
    if (error || size == 0) break;
    line.append(chunk.data(), size);
    const std::size_t end = line.find_first_of("\r\n");
    if (end == std::string::npos) continue;
    typed.emplace(std::string_view(line).substr(0, end));
    break;
  }
  ::explicit_bzero(chunk.data(), chunk.size());
  wipe(line);
  co_return typed;
}

Task<std::optional<Secret>> TerminalQuestion::ask(std::string text, Typing typing) {
  const UniqueFd device = open_device();
  if (!co_await take_turn(device.get())) co_return std::nullopt;
  const LineMode mode(terminal_.native_handle(), typing);
  // A person who left with Ctrl-Z and came back may not remember the question.
  asio::signal_set resumed(terminal_.get_executor(), SIGCONT);
  std::function<void()> watch = [&] {
    resumed.async_wait([&](const boost::system::error_code& ended, int) {
      if (ended) return;  // what is referred to may be gone
      if (is_in_foreground(terminal_.native_handle())) {
        mode.set_again();
        say(text);
      }
      watch();
    });
  };
  watch();  // before the question: the person who reads it may leave at once
  const auto [error, size] = co_await asio::async_write(terminal_, asio::buffer(text), as_values);
  if (error) co_return std::nullopt;
  co_return co_await read_line();
}

void TerminalQuestion::say(std::string_view text) {
  (void)write_all(terminal_.native_handle(), text);
}

bool TerminalQuestion::has_colours() {
  const char* const none = std::getenv("NO_COLOR");
  const char* const kind = std::getenv("TERM");
  return (!none || *none == '\0') && kind && std::string_view(kind) != "dumb";
}

void TerminalQuestion::give_up() {
  given_up_ = true;
  turn_.cancel();
  terminal_.cancel();
}

}  // namespace talaria::os
