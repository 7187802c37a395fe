#include "front/cli/approval_prompt.h"

#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <utility>

#include <boost/asio/posix/stream_descriptor.hpp>

#include "base/text.h"
#include "base/visible_text.h"
#include "front/cli/terminal.h"
#include "front/stdio.h"

namespace talaria {
namespace {

using Stream = asio::posix::stream_descriptor;

constexpr std::size_t kLongestAnswer = 64;  // longer is no in any case

// The terminal, in the state in which a line can be typed: echoed, ended by Enter. As before when
// this is gone. Whatever was typed ahead of the question is thrown away: it was meant for something
// else.
class Prompt {
 public:
  explicit Prompt(int fd) : fd_(fd) {
    has_before_ = ::tcgetattr(fd_, &before_) == 0;
    if (!has_before_) return;
    termios line = before_;
    line.c_iflag |= ICRNL;
    line.c_oflag |= OPOST | ONLCR;
    line.c_lflag |= ICANON | ECHO | ECHOE | ISIG;
    ::tcsetattr(fd_, TCSAFLUSH, &line);
    ::tcflush(fd_, TCIFLUSH);
  }
  Prompt(const Prompt&) = delete;
  Prompt& operator=(const Prompt&) = delete;
  ~Prompt() {
    if (has_before_) ::tcsetattr(fd_, TCSANOW, &before_);
  }

 private:
  int fd_;
  termios before_{};
  bool has_before_ = false;
};

int open_terminal() { return ::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK); }

// Whoever is in the background would be stopped by the first key it reads.
bool is_in_foreground(int fd) { return ::tcgetpgrp(fd) == ::getpgrp(); }

// The line that was typed; nothing at the end of input, or if nobody wants it any more.
Task<std::string> read_line(std::shared_ptr<Stream> terminal) {
  std::string line;
  std::array<char, 256> chunk;
  for (;;) {
    const auto [error, size] = co_await terminal->async_read_some(asio::buffer(chunk), as_values);
    if (error || size == 0) co_return "";
    line.append(chunk.data(), size);
    const std::size_t end = line.find('\n');
    if (end != std::string::npos) co_return line.substr(0, end);
    if (line.size() > kLongestAnswer) co_return "";
  }
}

Task<void> ask_there(std::shared_ptr<Stream> terminal, ApprovalRequest request,
                     ApprovalReply reply) {
  const int fd = terminal->native_handle();
  const Prompt prompt(fd);
  write_fully(fd, approval_question(request, style_for(fd).colour));
  const std::string line = co_await read_line(terminal);
  if (!reply.wanted()) {
    write_fully(fd, "\ntalaria: no answer; it is not run\n");
    co_return;
  }
  const std::string_view answer = typed_answer(line, request.allow_permanent);
  if (answer == "deny") write_fully(fd, "talaria: it is not run\n");
  reply(answer);
}

// Lines of a command, each marked as such: none can pass for ours.
std::string quoted_lines(std::string_view text, bool colour) {
  const std::string shown = colour ? visible_text(text, "\x1b[7m", "\x1b[27m") : visible_text(text);
  std::string quoted = "  | ";
  for (const char c : shown) {
    quoted += c;
    if (c == '\n') quoted += "  | ";
  }
  return quoted + "\n";
}

}  // namespace

bool can_ask_on_terminal() {
  const int fd = open_terminal();
  if (fd < 0) return false;
  const bool ours = is_in_foreground(fd);
  ::close(fd);
  return ours;
}

std::string approval_question(const ApprovalRequest& request, bool colour) {
  const TextStyle style{.colour = colour};
  std::string text = "\n" +
                     dressed("talaria: this command needs your approval", Look::bold, style) +
                     " (" + one_line(visible_text(request.description)) + ")\n  at target " +
                     one_line(visible_text(request.target));
  if (!request.cwd.empty()) text += ", in " + one_line(visible_text(request.cwd));
  text += "\n" + quoted_lines(request.command, colour);
  text += "Run it? [o]nce, [s]ession";
  if (request.allow_permanent) text += ", [a]lways such commands here";
  return text + ", anything else: no (" + std::to_string(request.timeout.count()) + " s): ";
}

std::string_view typed_answer(std::string_view line, bool allow_permanent) {
  const std::string word = lower_case(trim(line));
  if (word == "o" || word == "once") return "once";
  if (word == "s" || word == "session") return "session";
  if (word == "a" || word == "always") return allow_permanent ? "always" : "session";
  return "deny";
}

void ask_on_terminal(const asio::any_io_executor& executor, const ApprovalRequest& request,
                     const ApprovalReply& reply) {
  const int fd = open_terminal();
  if (fd < 0 || !is_in_foreground(fd)) {
    if (fd >= 0) ::close(fd);
    return reply("deny");
  }
  const auto terminal = std::make_shared<Stream>(executor, fd);
  reply.on_unwanted([there = std::weak_ptr<Stream>(terminal)] {
    if (const auto still = there.lock()) still->cancel();
  });
  spawn(executor, ask_there(terminal, request, reply));
}

}  // namespace talaria
