// How output looks on a terminal: its width and colours. Output to anything else is plain and has
// no width.
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

// Colours need a terminal, an empty NO_COLOR, and a TERM other than "dumb".
TextStyle style_for(int fd);

// `text` with that look, if the style has colours.
std::string dressed(std::string_view text, Look look, const TextStyle& style);

// In one line without control characters, so that a value cannot control the terminal.
std::string one_line(std::string_view text);

}  // namespace talaria::front::cli
