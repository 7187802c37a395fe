// Environment: one live instance of a target (this machine, a container, a host) with one runner in
// it. A backend makes or finds the target and carries bytes to its runner; what a command means is
// the runner's business, so it is the same on every target.
#pragma once

#include <talaria/command.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel.h"
#include "base/exit_status.h"
#include "base/result.h"
#include "base/task.h"

namespace talaria {

struct CommandSpec {
  std::string command;  // shell text
  std::string session;  // whose shell state it resumes; empty: none, and none is kept
  std::optional<std::string>
      workdir;                   // for this command only; the session's own directory if absent
  std::string first_cwd;         // where a session that is new starts
  std::string move_to;           // where the session goes first, new or not; empty: it stays
  std::vector<std::string> env;  // NAME=value: all that the command inherits from the caller
  std::optional<std::uint32_t> umask;     // of a session that has none of its own yet
  std::chrono::milliseconds timeout{0};   // 0: no limit
  std::optional<std::string> stdin_data;  // absent: /dev/null
  std::uint64_t head_limit = 0;           // how much of the first output the result carries, bytes
  std::uint64_t tail_limit = 0;           // how much of the last
  std::uint64_t spill_quota = 64ull << 20;  // how much of it all is kept at the target, bytes
  std::function<void(std::string_view)> on_output;  // called with output as it is printed, if set
};

// What is read at the target before its first session starts, as for a person who logs in there.
struct LoginFiles {
  std::vector<std::string> files;  // after those of every login; "~" and "$NAME" are the target's
  bool bashrc = true;              // without `files`: ~/.profile, ~/.bash_profile and ~/.bashrc
  std::vector<std::string> withheld;  // names no session gets from them; "AB*": all such
};

struct CommandOutcome {
  CommandEnd ended = CommandEnd::exited;
  ExitStatus status;
  std::uint64_t total = 0;  // bytes printed
  std::string head;         // the first bytes; all of them when total <= head.size()
  std::string tail;         // the last bytes, starting at tail_from >= head.size()
  std::uint64_t tail_from = 0;
  std::chrono::microseconds duration{0};
  std::string cwd;               // the session's directory afterwards
  std::string spill_path;        // at the target; empty if nothing was spilled
  std::uint64_t spill_from = 0;  // which bytes the spill file holds: [spill_from, spill_to)
  std::uint64_t spill_to = 0;
  std::vector<Leftover> survivors;
  std::uint32_t background_children = 0;  // processes of the command that still run
  std::vector<std::string> notices;       // what the caller should know: recovered cwd, lost state
};

class Environment {
 public:
  virtual ~Environment() = default;

  virtual std::string_view target() const = 0;     // "local", "docker", ...
  virtual std::string_view transport() const = 0;  // "link", "batch" or "plain"

  // Runs one command to its end. A command that fails, times out or is cancelled is an outcome; an
  // Error means that it could not be run, or (runner_lost) that nobody knows how it ended.
  // Cancelling kills the command's whole tree. `*this` must outlive the call.
  virtual Task<Result<CommandOutcome>> run(CommandSpec spec, CancelToken cancel) = 0;
};

}  // namespace talaria
