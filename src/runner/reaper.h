// The reaper: one small process between the runner and each command.
//
// It is a subreaper, so whatever the command forks, daemonises or moves to a session of its own
// still ends up as its descendant: when it has no child left, the command's tree is empty, exactly.
// It tells the runner how the command ended and when the tree is empty, and kills the tree when
// told to, or when the runner is gone (its end of the channel closed).
//
// It is this same program, started as `talaria-runner reap FLAGS CGROUP PATH ARGV0...` with
// the command's standard descriptors as 0 to 2, the channel to the runner as 3, and the command's
// environment and directory as its own.
#pragma once

#include <cstdint>

namespace talaria {

inline constexpr int kReaperChannel = 3;

// FLAGS: a letter, "-" for none; then, if the program shall not have our own limit of open
// descriptors, the soft limit to give it.
// The last argument becomes room for a command, and a descriptor for the program's arguments is sent.
inline constexpr char kReaperOpensMemory = 'm';

// The two ends are the same program, so messages are plain structs.
enum class ReaperOrder : std::uint32_t {
  kill,    // TERM to all, after `grace_ms` KILL until the tree is empty or nothing more helps
  signal,  // `signal` to the program's process group
};

struct ToReaper {
  ReaperOrder order{};
  std::int32_t signal = 0;
  std::uint32_t grace_ms = 0;
};

enum class ReaperReport : std::uint32_t {
  started,   // `pid`; may carry a descriptor for its memory, then `argument_start` is set
  failed,    // the program could not be started: `status` is the errno
  exited,    // the program ended with wait status `status`; descendants may live
  survivor,  // `pid` (`name`) could not be killed: `status` is the errno, 0 if KILL did not help
  killed,    // a kill order is done, but the survivors reported before are left
  empty,     // no descendant is left; any kill order is done; the reaper ends
};

struct FromReaper {
  ReaperReport report{};
  std::int32_t pid = 0;
  std::int32_t status = 0;
  std::uint32_t children = 0;  // with `exited`: how many descendants are left
  std::uint64_t argument_start = 0;
  char name[16] = {};
};

int reaper_main(int argc, char** argv);

}  // namespace talaria
