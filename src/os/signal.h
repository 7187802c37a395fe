// Signals to other processes, such that a pid that was reused meanwhile is never hit.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

namespace talaria::os {

// To `pid`, if it is a descendant of `root`. False if it is not one, has ended, or may not be
// signalled.
bool signal_descendant(pid_t root, pid_t pid, int signal);

// To a child of ours that nobody has reaped yet, or to the process group it leads.
void signal_child(pid_t child, int signal);
void signal_group(pid_t leader, int signal);

// Continues a process that may have been stopped. Harmless if another process has its pid now.
void continue_process(pid_t pid);

// 0 if the process may be signalled, else the errno that says why not (ESRCH: there is none).
int why_not_signalled(pid_t pid);

// A process by its pid and its start time (os/proc.h), so that it is never taken for another.
struct SameProcess {
  pid_t pid = 0;
  std::uint64_t start_time = 0;
};
bool is_running(const SameProcess& process);  // a zombie is not
bool signal_same(const SameProcess& process, int signal);

// Ends the process, all below it, and all in the session or group it leads. Returns what it killed;
// nothing if the process is not there any more.
std::vector<SameProcess> kill_session_of(const SameProcess& leader);

// Ends every process below `root`: stops what it finds until it finds nothing new, so that nothing
// can fork away meanwhile, then kills. `guardian` is who they fall to when their parents end: root
// itself if it is a subreaper, else the next one above it.
void kill_tree(pid_t guardian, pid_t root);

}  // namespace talaria::os
