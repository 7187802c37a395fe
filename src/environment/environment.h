// Environment: one live instance of a target (this machine, a container, a host) with one runner in
// it. A backend makes or finds the target and carries bytes to its runner; what a command means is
// the runner's business, so it is the same on every target.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "base/task.h"
#include "environment/command.h"
#include "environment/files.h"
#include "environment/processes.h"

namespace talaria::environment {

// What is read at the target before its first session starts, as for a person who logs in there.
struct LoginFiles {
  std::vector<std::string> files;  // after those of every login; "~" and "$NAME" are the target's
  bool bashrc = true;              // without `files`: ~/.profile, ~/.bash_profile and ~/.bashrc
  std::vector<std::string> withheld;  // names no session gets from them; "AB*": all such
};

// What all commands of an environment together may use, as far as the target sees to it; 0: nobody
// does, or it is not known.
struct EnvironmentLimits {
  double cpu = 0;
  std::int64_t memory_mb = 0;
  std::int64_t disk_mb = 0;
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

  // What goes on there while nobody waits for it. Lives as long as `*this`.
  virtual Processes& processes() = 0;

  // Those there. Lives as long as `*this`.
  virtual Files& files() = 0;

  // Which one it is, for people: "container hermes-1a2b3c4d". Empty: the target says it all.
  virtual std::string place() const { return {}; }

  // What was done there is still there after close().
  virtual bool persistent() const { return false; }

  // Whether the target says that what a command breaks there stays there. Nothing: it does not say.
  virtual std::optional<bool> isolated() const { return std::nullopt; }

  virtual EnvironmentLimits limits() const { return {}; }

  // Nobody will use this session again: what is kept of it there is forgotten.
  virtual Task<Result<void>> end_session([[maybe_unused]] std::string session) {
    co_return Result<void>();
  }

  // Ends what this one instance holds at the target. `remove`: with all that others could find
  // again, too. Calls under way may fail; none may follow. An error says what is left, and why.
  virtual Task<Result<void>> close([[maybe_unused]] bool remove) { co_return Result<void>(); }
};

}  // namespace talaria::environment
