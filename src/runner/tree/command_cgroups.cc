#include "runner/tree/command_cgroups.h"

#include <utility>

#include "os/cgroup.h"
#include "rendezvous/command_groups.h"
#include "runner/limits.h"

namespace talaria::runner {

CommandCgroups::~CommandCgroups() {
  if (!stem_.empty()) rendezvous::end_groups_of(stem_, kDyingLook * kLastLooks);
}

std::string CommandCgroups::acquire(const std::string& stem) {
  stem_ = stem;
  std::string group = stem + mark_ + std::to_string(++made_);
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

}  // namespace talaria::runner
