#include "runner/call_lifetimes.h"

namespace talaria::runner {

void CallLifetimes::remove(const std::string& process) {
  for (auto link = links_.begin(); link != links_.end(); ++link) {
    if (link->second.processes.erase(process) == 0) continue;
    if (link->second.processes.empty()) links_.erase(link);
    return;
  }
}

void CallLifetimes::connected(const link::LinkId& link) {
  if (const auto found = links_.find(link); found != links_.end()) found->second.gone.reset();
}

void CallLifetimes::disconnected(const link::LinkId& link) {
  const auto found = links_.find(link);
  if (found == links_.end() || found->second.gone) return;
  auto& timer = found->second.gone;
  timer = std::make_unique<asio::steady_timer>(loop_, patience_);
  timer->async_wait([this, link](boost::system::error_code error) {
    if (!error) call_is_over(link);
  });
}

void CallLifetimes::call_is_over(const link::LinkId& link) {
  const auto found = links_.find(link);
  if (found == links_.end() || !found->second.gone) return;  // it came back on the way here
  const std::set<std::string> processes = std::move(found->second.processes);
  links_.erase(found);
  for (const std::string& process : processes) end_(process);
}

}  // namespace talaria::runner
