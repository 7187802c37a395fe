// RunObserver: follows runs. Observers of a run are called in the order in which they were added:
// first the session or the login that the command belongs to, then the objects of the runner, then
// the links. A call may come from inside a call to the run (kill() may find the reaper gone). An
// observer removes itself from its runs before it is destroyed.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "runner/run_spec.h"
#include "shell/state.h"

namespace talaria::runner {

class Run;

class RunObserver {
 public:
  virtual ~RunObserver() = default;

  // The shell exists, and the next step gives it its command. An error prevents that. Called again
  // if that shell turns out to be dead and another one gets the command.
  virtual Result<void> before_start(const RunSpec&, pid_t, const std::string& /*cwd*/) {
    return {};
  }
  // The timeout is over and the command wants to continue in the background. An error says why it
  // must not.
  virtual Result<void> before_hand_over(const RunSpec&) { return {}; }

  // The shell has its command, a kill is done, the tree is empty, or stdin was written or closed.
  virtual void run_changed(Run&) {}
  virtual void output_grew(Run&, std::string_view /*bytes*/) {}  // empty: the output was closed
  virtual void run_handed_over(Run&) {}
  // Before run_finished(), unless the run was handed over: the state that the shell started with,
  // and the state it left, or why it left none. The observer that owns the state may move it away.
  virtual void command_ended(Run&, const shell::ShellState& /*before*/,
                             Result<shell::ShellState>& /*after*/) {}
  virtual void run_finished(Run&) {}
  virtual void run_gone(Run&) {}  // finished, and the tree is empty: the last call

  // The cursor of a reader of this observer that must not lose a byte.
  virtual std::optional<std::uint64_t> lossless_cursor(const Run&) const { return std::nullopt; }
};

}  // namespace talaria::runner
