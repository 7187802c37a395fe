// CommandCgroups: the cgroups of reapers. A reaper removes its own when it ends; this class removes
// those of reapers that were killed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "os/random.h"

namespace talaria::runner {

class CommandCgroups {
 public:
  CommandCgroups() = default;
  CommandCgroups(const CommandCgroups&) = delete;
  CommandCgroups& operator=(const CommandCgroups&) = delete;
  ~CommandCgroups();  // waits a while for those whose nursery and reaper were both killed

  // A group of its own below `parent`; empty if none can be made.
  std::string acquire(const std::string& parent);

  // Its reaper has ended. Processes that are still in the group are killed.
  void release(std::string group);

  // True while some group is not empty although it should be. One that stays so is given up.
  bool clear_dying();

 private:
  bool remove_stale() const;

  std::string parent_;
  struct Dying {
    std::string group;
    int looks = 0;
  };
  std::vector<Dying> dying_;
  // Others with our pid, in other pid namespaces, may share the hierarchy.
  const std::string mark_ = os::random_hex(4) + "-";
  std::uint64_t made_ = 0;
};

}  // namespace talaria::runner
