#include "runner/warm_shells.h"

#include <algorithm>
#include <utility>

namespace talaria::runner {

void WarmShells::add(std::shared_ptr<Run> shell) {
  shells_.push_back(std::move(shell));
  ++all_;
}

std::shared_ptr<Run> WarmShells::take(const shell::ShellState& from, std::string_view command) {
  const auto found = std::ranges::find_if(
      shells_, [&](const std::shared_ptr<Run>& shell) { return shell->can_take(from, command); });
  if (found == shells_.end()) return nullptr;
  std::shared_ptr<Run> shell = std::move(*found);
  shells_.erase(found);
  --all_;
  return shell;
}

void WarmShells::get_ready() {
  all_ -=
      std::erase_if(shells_, [](const std::shared_ptr<Run>& shell) { return !shell->get_ready(); });
}

void WarmShells::drop() {
  all_ -= shells_.size();
  for (const auto& shell : std::exchange(shells_, {})) {
    shell->kill(link::Ended::killed, std::chrono::milliseconds(0));
  }
}

void WarmShells::abandon() {
  all_ -= shells_.size();
  for (const auto& shell : std::exchange(shells_, {})) shell->abandon();
}

}  // namespace talaria::runner
