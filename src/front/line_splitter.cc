#include "front/line_splitter.h"

#include <utility>

namespace talaria::front {

void LineSplitter::feed(std::string_view bytes, const Sink& sink) {
  for (;;) {
    const std::size_t end = bytes.find('\n');
    const bool ends = end != std::string_view::npos;
    const std::string_view piece = ends ? bytes.substr(0, end) : bytes;

    if (!skipping_ && partial_.size() + piece.size() > max_line_) {
      skipping_ = true;
      partial_ = {};
      sink.too_long();
    }
    if (!ends) {
      if (!skipping_) partial_ += piece;
      return;
    }

    ++line_number_;
    if (!std::exchange(skipping_, false)) {
      const std::string line = std::exchange(partial_, {}).append(piece);
      sink.line(line);
    }
    bytes.remove_prefix(end + 1);
  }
}

}  // namespace talaria::front
