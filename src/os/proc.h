// What /proc says about processes: who is whose child, when one started, what it is called.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace talaria::os {

struct ProcessStat {
  pid_t pid = 0;
  std::string name;  // the kernel's short name, at most 15 bytes
  char state = '?';
  pid_t parent = 0;
  pid_t group = 0;
  pid_t session = 0;
  dev_t terminal = 0;                 // the one that controls it; 0: none
  std::uint64_t start_time = 0;       // clock ticks since boot: with the pid it names one process
  std::uint64_t argument_start = 0;   // 0 when we may not know
  std::uint64_t environment_end = 0;  // 0, too, while an exec is still laying the arguments out
  int wait_status = 0;                // of a zombie; 0 when we may not know
};

Result<ProcessStat> read_process_stat(pid_t pid);

// Every descendant of `root`, parents before their children. Processes come and go while we look,
// so a caller that wants them all gone asks again until the answer is empty.
std::vector<pid_t> descendants(pid_t root);

// Its parent, that one's, and so on.
std::vector<pid_t> ancestors(pid_t pid);
// Whether `root` is one of them. Nobody is its own.
bool is_descendant(pid_t root, pid_t pid);

// Every process that can be seen, as it was a moment ago.
std::vector<ProcessStat> all_processes();

std::vector<pid_t> threads_of(pid_t pid);

// Who is in the session or the process group with this number.
std::vector<pid_t> session_members(pid_t session);

// Whether `pid` runs the program file that this process runs.
bool runs_our_program(pid_t pid);

// This boot's id, as the kernel names it; empty if it does not say.
std::string boot_id();

// What /proc/PID/status says, which every user may read, also of root's processes.
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
