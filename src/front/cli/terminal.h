// What a person sees our output on: whether it is a terminal, how wide it is, and whether it wants
// colours. Output that goes elsewhere is plain and as wide as it needs to be.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace talaria::front::cli {

enum class Look { plain, bold, faint, good, doubtful, bad };

struct TextStyle {
  bool colour = false;
  std::size_t width = 0;  // columns; 0: no limit
};

// Colours need a terminal, no NO_COLOR, and a TERM other than "dumb".
TextStyle style_for(int fd);

// `text` with that look, if the style has colours.
std::string dressed(std::string_view text, Look look, const TextStyle& style);

// In one line, whatever is in it: a value must not draw on a person's terminal.
std::string one_line(std::string_view text);

}  // namespace talaria::front::cli
