// Any bytes on a terminal of any size, which changes: there is always a screen, of text, with the
// cursor on it.

#include <string>

#include "base/text.h"
#include "fuzz/input.h"
#include "tools/screen.h"

namespace talaria {
namespace {

// Small ones: they are as good and much faster.
ScreenSize size_of(char rows, char cols) {
  return {static_cast<unsigned char>(rows) % 16u, static_cast<unsigned char>(cols) % 32u};
}

void check(const tool::Screen& screen) {
  const auto lines = screen.lines();
  require(lines.size() == screen.size().rows);
  for (const std::string& line : lines) require(is_valid_utf8(line));
  require(is_valid_utf8(screen.title()));
  require(screen.cursor_row() < screen.size().rows);
  require(screen.cursor_col() < screen.size().cols);
}

void draw(Input input) {
  const auto rows = static_cast<char>(input.choice());
  tool::Screen screen(size_of(rows, static_cast<char>(input.choice())));
  const std::string_view bytes = input.rest();
  // A byte that no program prints stands for a change of size, by the two behind it.
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = std::min(bytes.find('\xff', at), bytes.size());
    screen.feed(bytes.substr(at, end - at));
    if (end + 2 < bytes.size()) {
      screen.resize(size_of(bytes[end + 1], bytes[end + 2]));
    }
    at = end + 3;
  }
  check(screen);
}

}  // namespace
}  // namespace talaria

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  talaria::draw(talaria::Input(data, size));
  return 0;
}
