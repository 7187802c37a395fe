#include "runner/run_terminal.h"

#include "runner/limits.h"
#include "runner/terminal_size.h"

namespace talaria::runner {

Result<void> RunTerminal::resize(int fd, link::TerminalSize size, std::uint64_t cursor) {
  if (const auto set = os::set_window_size(fd, to_window_size(size)); !set) return set;
  if (sizes_.back().size == size) return {};
  if (sizes_.back().cursor == cursor) sizes_.pop_back();
  sizes_.push_back({.cursor = cursor, .size = size});
  if (sizes_.size() > kMaxSizeChanges) sizes_.erase(sizes_.begin());
  return {};
}

}  // namespace talaria::runner
