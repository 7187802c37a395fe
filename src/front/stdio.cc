#include "front/stdio.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "base/text.h"
#include "front/wrap.h"

namespace talaria::front {
namespace {

constexpr std::size_t kMaxErrorColumns = 100;

// 0: it is not a terminal.
std::size_t error_columns(int fd) {
  if (::isatty(fd) != 1) return 0;
  winsize size{};
  const bool known = ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? std::min<std::size_t>(size.ws_col, kMaxErrorColumns) : kMaxErrorColumns;
}

}  // namespace

bool write_fully(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {  // another program that shares it made it non-blocking
      pollfd writable{.fd = fd, .events = POLLOUT, .revents = 0};
      ::poll(&writable, 1, -1);
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

Result<std::string> read_fully(int fd, std::size_t most, const std::string& name) {
  std::string text;
  std::vector<char> chunk(64 * 1024);
  while (text.size() <= most) {
    const ssize_t size = ::read(fd, chunk.data(), chunk.size());
    if (size == 0) break;
    if (size > 0) text.append(chunk.data(), static_cast<std::size_t>(size));
    if (size < 0 && errno != EINTR) return fail(Error::from_errno("read " + name));
  }
  return text;
}

bool write_output(const Stdio& stdio, std::string_view text) {
  if (write_fully(stdio.out, text)) return true;
  complain_of_output(stdio, errno);
  return false;
}

void complain_of_output(const Stdio& stdio, int code) {
  if (code != EPIPE)
    complain(stdio, Error::from_errno("cannot write to standard output", code).message());
}

void complain(const Stdio& stdio, std::string_view message) {
  write_error(stdio, "talaria: " + sanitize_utf8(message) + "\n");
}

void write_error(const Stdio& stdio, std::string_view text) {
  const std::size_t columns = error_columns(stdio.err);
  if (columns == 0) {
    write_fully(stdio.err, text);
    return;
  }
  std::string lines;
  while (!text.empty()) {
    const bool ended = text.contains('\n');
    const auto parts = wrapped(next_word(text, '\n'), columns, LongWords::whole);
    for (const std::string& part : parts) lines += part + "\n";
    if (!ended) lines.pop_back();
  }
  write_fully(stdio.err, lines);
}

}  // namespace talaria::front
