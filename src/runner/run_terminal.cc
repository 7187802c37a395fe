#include "runner/run_terminal.h"

#include <string>

#include "runner/limits.h"

namespace talaria::runner {

Result<void> RunTerminal::resize(int fd, link::TerminalSize size, std::uint64_t cursor) {
  if (const auto set = os::set_window_size(fd, to_window_size(size)); !set) return set;
  if (sizes_.back().size == size) return {};
  if (sizes_.back().cursor == cursor) sizes_.pop_back();
  sizes_.push_back({.cursor = cursor, .size = size});
  if (sizes_.size() > kMaxSizeChanges) sizes_.erase(sizes_.begin());
  return {};
}

Result<void> check_terminal_size(link::TerminalSize size) {
  for (const std::uint32_t side : {size.rows, size.cols}) {
    if (side >= 1 && side <= kMaxTerminalSide) continue;
    return fail(ErrorKind::bad_request, "a terminal has 1 to " + std::to_string(kMaxTerminalSide) +
                                            " rows and as many columns, not " +
                                            std::to_string(size.rows) + " rows and " +
                                            std::to_string(size.cols) + " columns");
  }
  return {};
}

Result<link::TerminalSize> terminal_size_or_default(link::TerminalSize size) {
  if (size.rows == 0) size.rows = kTerminalRows;
  if (size.cols == 0) size.cols = kTerminalCols;
  if (const auto valid = check_terminal_size(size); !valid) return fail(valid.error());
  return size;
}

os::WindowSize to_window_size(link::TerminalSize size) {
  return {.rows = static_cast<unsigned short>(size.rows),
          .cols = static_cast<unsigned short>(size.cols)};
}

}  // namespace talaria::runner
