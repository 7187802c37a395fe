// Environment: one live instance of a target (this machine, a container, a host) with one runner in
// it. A backend makes or finds the target and carries bytes to its runner; what a command means is
// the runner's business, so it is the same on every target.
//
// Every function is pure, so that an environment that wraps another cannot forget one.
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

// The shell startup files that are read at the target before its first session starts, as for a
// person who logs in there.
struct LoginFiles {
  std::vector<std::string> files;  // after those of every login; "~" and "$NAME" are the target's
  bool bashrc = true;              // without `files`: ~/.profile, ~/.bash_profile and ~/.bashrc
  std::vector<std::string> withheld;  // names no session gets from them; "AB*": all such
};

// Limits that the target enforces on all commands of an environment together; 0: none, or unknown.
struct EnvironmentLimits {
  double cpu = 0;
  std::int64_t memory_mb = 0;
  std::int64_t disk_mb = 0;

  friend bool operator==(const EnvironmentLimits&, const EnvironmentLimits&) = default;
};

class Environment {
 public:
  virtual ~Environment() = default;

  virtual std::string_view target() const = 0;     // "local", "docker", ...
  virtual std::string_view transport() const = 0;  // "link", "batch" or "plain"

  // Runs one command to its end. A command that fails, times out or is cancelled is an outcome; an
  // Error means that it could not be run, or (runner_lost) that its result is unknown.
  // Cancelling kills the command's whole tree. `*this` must outlive the call.
  virtual Task<Result<CommandOutcome>> run(CommandSpec spec, CancelToken cancel) = 0;

  // What the session of a command makes of it now: all that `judged` names, and its directory. The
  // command does not run. Nothing: this target does not say.
  virtual Task<Result<std::optional<shell::SessionDefinitions>>> look(CommandSpec spec,
                                                                      CancelToken cancel) = 0;

  // Background processes at this target. Lives as long as `*this`.
  virtual Processes& processes() = 0;

  // Files at this target. Lives as long as `*this`.
  virtual Files& files() = 0;

  // Which instance it is, for people: "container hermes-1a2b3c4d". Empty: the target has only one.
  virtual std::string place() const = 0;

  // Whether files that commands changed are still there after close().
  virtual bool persistent() const = 0;

  // Whether the target confines the damage that a command can do. Nothing: it does not say.
  virtual std::optional<bool> isolated() const = 0;

  virtual EnvironmentLimits limits() const = 0;

  // No call will use this session again: its state at the target is removed.
  virtual Task<Result<void>> end_session(std::string session) = 0;

  // Files at the target are still needed: close(false) leaves them there, also if they would not
  // outlive it (persistent()), and reports where they are.
  virtual void leave_files() = 0;

  // Releases what this instance holds at the target. `remove`: also removes everything that other
  // programs could find again. Calls under way may fail; none may follow. An error says what is
  // left, and why.
  virtual Task<Result<void>> close(bool remove) = 0;
};

}  // namespace talaria::environment
