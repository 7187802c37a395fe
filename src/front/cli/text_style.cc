#include "front/cli/text_style.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

#include "base/text.h"

namespace talaria::front::cli {
namespace {

std::string_view sequence(Look look) {
  switch (look) {
    case Look::plain:
      return "";
    case Look::bold:
      return "\x1b[1m";
    case Look::faint:
      return "\x1b[2m";
    case Look::good:
      return "\x1b[32m";
    case Look::doubtful:
      return "\x1b[33m";
    case Look::bad:
      return "\x1b[31m";
  }
  return "";
}

std::string_view variable(const char* name, std::string_view otherwise) {
  const char* const value = std::getenv(name);
  return value ? value : otherwise;
}

}  // namespace

TextStyle style_for(int fd) {
  if (::isatty(fd) != 1) return {};
  TextStyle style{.colour = variable("NO_COLOR", "").empty() && variable("TERM", "dumb") != "dumb"};
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) == 0) style.width = size.ws_col;
  return style;
}

std::string dressed(std::string_view text, Look look, const TextStyle& style) {
  if (!style.colour || look == Look::plain) return std::string(text);
  return std::string(sequence(look)) + std::string(text) + "\x1b[0m";
}

std::string one_line(std::string_view text) {
  std::string line = sanitize_utf8(text);
  for (std::size_t at = 0; at < line.size(); ++at) {
    const auto byte = static_cast<unsigned char>(line[at]);
    const auto next = static_cast<unsigned char>(at + 1 < line.size() ? line[at + 1] : 0);
    if (byte < ' ' || byte == 0x7F) line[at] = ' ';
    if (byte == 0xC2 && next < 0xA0) line.replace(at, 2, " ");  // U+0080 to U+009F
  }
  return line;
}

}  // namespace talaria::front::cli
