// LineSplitter: splits bytes into lines, without I/O. A line that is too long is reported once and
// dropped.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace talaria::front {

class LineSplitter {
 public:
  struct Sink {
    std::function<void(std::string_view line)> line;  // without its end
    std::function<void()> too_long;
  };

  explicit LineSplitter(std::size_t max_line) : max_line_(max_line) {}

  void feed(std::string_view bytes, const Sink& sink);

  // End of input: a last line without a newline is a line, too.
  void end(const Sink& sink) {
    if (!partial_.empty()) feed("\n", sink);
  }

  std::size_t max_line() const { return max_line_; }
  std::size_t line_number() const { return line_number_; }  // of the last complete line
  std::size_t next_number() const { return line_number_ + 1; }

 private:
  std::size_t max_line_;
  std::string partial_;    // the line that has not ended yet
  bool skipping_ = false;  // it was too long
  std::size_t line_number_ = 0;
};

}  // namespace talaria::front
