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
  // Of a nursery that ends with its runner: ends the groups that nobody else removes.
  ~CommandCgroups();

  // A group of its own whose path begins with `stem` (rendezvous/command_groups.h); empty if none
  // can be made.
  std::string acquire(const std::string& stem);

  // Its reaper has ended. Processes that are still in the group are killed.
  void release(std::string group);

  // True while some group is not empty although it should be. One that stays so is given up.
  bool clear_dying();

 private:
  std::string stem_;
  struct Dying {
    std::string group;
    int looks = 0;
  };
  std::vector<Dying> dying_;
  // The runner may have had another nursery before.
  const std::string mark_ = os::random_hex(4) + "-";
  std::uint64_t made_ = 0;
};

}  // namespace talaria::runner
