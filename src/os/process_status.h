// What /proc/PID/status says of a process, which everybody may read, also of root's processes.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "base/result.h"

namespace talaria::os {

struct ProcessStatus {
  std::string name;  // at most 15 bytes
  pid_t parent = 0;
  uid_t effective_user = 0;
  std::uint64_t caught = 0;   // signals it has a handler for: bit N - 1 is signal N
  std::uint64_t blocked = 0;  // that do not reach it for now

  bool catches(int signal) const { return (caught >> (signal - 1) & 1) != 0; }
  bool blocks(int signal) const { return (blocked >> (signal - 1) & 1) != 0; }
};

Result<ProcessStatus> read_process_status(pid_t pid);

}  // namespace talaria::os
