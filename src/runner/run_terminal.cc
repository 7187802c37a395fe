// A run seen by whoever sits at it: its terminal, and whether it waits for input.
#include <algorithm>

#include "os/proc.h"
#include "runner/limits.h"
#include "runner/run.h"
#include "runner/terminal_size.h"

namespace talaria::runner {

Result<void> Run::resize(link::TerminalSize size) {
  if (!shell_.terminal) {
    return fail(ErrorKind::bad_request,
                "process " + spec_.process + " has no terminal: it was started without one");
  }
  if (output_closed_) return {};
  const auto set = os::set_window_size(shell_.output.get(), to_window_size(size));
  if (!set) return set;
  const std::uint64_t cursor = log_->total();
  if (sizes_.back().size == size) return {};
  if (sizes_.back().cursor == cursor) sizes_.pop_back();
  sizes_.push_back({.cursor = cursor, .size = size});
  if (sizes_.size() > kMaxSizeChanges) sizes_.erase(sizes_.begin());
  return {};
}

bool Run::may_wait_for_input() const {
  if (finished_ || !shell_.input || !input_.takes_input() || shell_.reaper <= 0) return false;
  const auto quiet_since = std::max({started_, last_output_, input_.last_written()});
  return std::chrono::steady_clock::now() - quiet_since >= kQuietInput;
}

bool Run::waits_for_input() const {
  if (!may_wait_for_input()) return false;
  std::vector<pid_t> tree = os::descendants(shell_.reaper);
  if (tree.size() > kInputTree) tree.resize(kInputTree);
  return os::is_any_blocked_reading(tree, *shell_.input);
}

}  // namespace talaria::runner
