#include "runner/tree/command_cgroups.h"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <utility>

#include "os/cgroup.h"
#include "os/directory.h"
#include "os/signal.h"
#include "runner/limits.h"

namespace talaria::runner {

CommandCgroups::~CommandCgroups() {
  // Reapers of a nursery before us end now, too; nothing else removes their groups.
  for (int look = 0; look < kLastLooks && !parent_.empty() && remove_stale(); ++look) {
    std::this_thread::sleep_for(kDyingLook);
  }
}

std::string CommandCgroups::acquire(const std::string& parent) {
  if (std::exchange(parent_, parent).empty()) remove_stale();
  std::string group =
      parent + "/talaria-" + std::to_string(::getpid()) + "-" + mark_ + std::to_string(++made_);
  return os::make_cgroup(group) ? group : std::string();
}

void CommandCgroups::release(std::string group) {
  if (group.empty() || os::remove_cgroup(group)) return;
  (void)os::kill_cgroup(group);
  dying_.push_back({std::move(group)});
}

bool CommandCgroups::clear_dying() {
  std::erase_if(dying_, [](Dying& dying) {
    (void)os::kill_cgroup(dying.group);
    return os::remove_cgroup(dying.group) || ++dying.looks >= kLastLooks;
  });
  return !dying_.empty();
}

// What nurseries left that were killed: groups that name a process which is gone. True if some are
// still in use.
bool CommandCgroups::remove_stale() const {
  bool left = false;
  for (const std::string& name : os::names_in(parent_)) {
    if (!name.starts_with("talaria-")) continue;
    const pid_t maker = std::atoi(name.c_str() + sizeof "talaria");
    const bool stale = maker > 0 && os::why_not_signalled(maker) == ESRCH;
    if (stale && !os::remove_cgroup(parent_ + "/" + name)) left = true;
  }
  return left;
}

}  // namespace talaria::runner
