// Runtime: runs commands and tool calls for the program it is part of, on a thread of its own. Any
// thread may call it, many at once. Beside it: Processes (processes.h), Approvals (approvals.h) and
// Sandboxes (sandboxes.h). Each function has a form that waits and one that calls back.
//
// `done` and hooks are called on the runtime's thread: they must not wait for a call. on_output is
// called on another one, so a slow one holds up its own command and nothing else. None of them may
// destroy the runtime. Do not change the process's environment (setenv) meanwhile.
// docs/reference/cpp-rules.md has all rules.
#pragma once

#include <talaria/call.h>
#include <talaria/cancel.h>
#include <talaria/command.h>
#include <talaria/environment.h>
#include <talaria/error.h>
#include <talaria/export.h>
#include <talaria/options.h>
#include <talaria/shared_files.h>
#include <talaria/target.h>
#include <talaria/version.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace talaria {

class RuntimeLoop;  // how a Runtime works

class TALARIA_API Runtime {
 public:
  // Fails if an option or a setting is invalid; the message names it. requirements() or the first
  // call reports whether the target is available. Nothing is started before the first call. Throws
  // std::system_error if no thread can be created.
  static Result<Runtime> make(Options options = {}) {
    if (Result<void> fine = check_library(TALARIA_VERSION_NUMBER); !fine) {
      return std::unexpected(std::move(fine.error()));
    }
    return open(std::move(options));
  }

  Runtime(Runtime&& other) noexcept;
  Runtime& operator=(Runtime&& other) noexcept;
  // Cancels the calls, waits until each has returned or called back, releases the environments and
  // ends the thread. Sessions and containers in persist mode stay; the next Runtime finds them. In
  // a process that was forked from the one that made it, it does nothing.
  ~Runtime();

  // Runs a command to its end. One that fails, times out or is cancelled is an outcome. An Error
  // means that it could not be run or (runner_lost) that it is unknown how it ended. on_output is
  // called on this thread.
  Result<Outcome> run(Command command, Cancel cancel = {});
  // `done` must not throw; so for all functions that have one.
  void run(Command command, Cancel cancel, std::function<void(Result<Outcome>)> done);

  // Calls a tool as a model does: JSON text in, JSON text out, also for errors. A context without a
  // task means a session of this Runtime's own; the task "default" is shared by all programs.
  std::string call(std::string tool, std::string_view arguments, CallContext context = {},
                   Cancel cancel = {});
  void call(std::string tool, std::string_view arguments, CallContext context, Cancel cancel,
            std::function<void(std::string)> done);

  // Those that were created and not removed.
  std::vector<EnvironmentInfo> environments();
  // Waits until it has ended. The next call of its tasks creates another.
  Result<void> remove_environment(const std::string& id, Removal how = {});
  // Removes all; returns how many ended in order.
  Result<std::size_t> remove_all_environments(Removal how = {});
  // What they use, as in `env.list` of JSON lines.
  Result<EnvironmentTotals> environment_totals();

  // Where one task is, instead of where the configuration says. Replaces what was said earlier. A
  // model must not choose it.
  Result<void> override_task(const std::string& task, const TaskPlace& place);
  Result<void> clear_override(const std::string& task);

  // An Error: why no command can run, as far as is known without starting anything.
  Result<void> requirements();

  // Adds a name to Options::pass_through.
  Result<void> pass_through(const std::string& name);
  // Files that other targets get from now on (an engine's container: the next one), by their paths
  // below the home, besides those of terminal.credential_files. Returns those that are refused.
  std::vector<RefusedFile> share_files(const std::vector<std::string>& paths);

  // For the classes beside this one.
  const std::shared_ptr<RuntimeLoop>& loop() const { return loop_; }

 private:
  static Result<void> check_library(unsigned headers);
  static Result<Runtime> open(Options options);
  explicit Runtime(std::shared_ptr<RuntimeLoop> loop);
  void close();

  std::shared_ptr<RuntimeLoop> loop_;
};

}  // namespace talaria
