// ShownLines: lines of a file as a model is shown them, each behind its number: "12|text".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace talaria::tool {

class ShownLines {
 public:
  struct Limits {
    std::size_t line_chars = 2000;  // of one line; the rest is cut
    bool redact = true;             // secrets that such a cut would go through
  };

  ShownLines(std::uint64_t first, Limits limits) : next_(first), limits_(limits) {}

  // A line as it stands in the file, any bytes, without its newline. `cut`: there is more of it.
  void add(std::string_view line, bool cut = false);
  // Several, each with its newline; the last may have none. `cut` is that of the last.
  void add_all(std::string_view lines, bool cut = false);

  const std::string& text() const { return text_; }
  std::size_t chars() const { return chars_; }
  std::uint64_t next() const { return next_; }  // the number of the line behind the last

 private:
  std::uint64_t next_;
  Limits limits_;
  std::string text_;
  std::size_t chars_ = 0;
};

}  // namespace talaria::tool
