// Runtime: runs commands and tool calls for the program it is part of, on a thread of its own. Any
// thread may call it, many at once. A program with an Asio loop of its own may prefer
// talaria/asio.h.
//
// Callbacks (hooks, on_output, `done`) come on the runtime's thread: they must not wait for a call
// and must not destroy the runtime. Do not change the process's environment (setenv) meanwhile.
#pragma once

#include <talaria/call.h>
#include <talaria/cancel.h>
#include <talaria/command.h>
#include <talaria/environment.h>
#include <talaria/error.h>
#include <talaria/options.h>
#include <talaria/shared_files.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace talaria {

class Runtime {
 public:
  // Fails if an option or a setting is invalid; the message names it. requirements() or the first
  // call reports whether the target is available. Nothing is started before the first call. Throws
  // std::system_error if no thread can be created.
  static Result<Runtime> make(Options options = {});

  Runtime(Runtime&& other) noexcept;
  Runtime& operator=(Runtime&& other) noexcept;
  // Cancels the calls, waits until each has returned or called back, releases the environments and
  // ends the thread. Sessions and containers in persist mode stay; the next Runtime finds them.
  ~Runtime();

  // Runs a command to its end. One that fails, times out or is cancelled is an outcome. An Error
  // means that it could not be run or (runner_lost) that it is unknown how it ended.
  Result<Outcome> run(Command command, Cancel cancel = {});
  void run(Command command, Cancel cancel, std::function<void(Result<Outcome>)> done);

  // Calls a tool as a model does: JSON text in, JSON text out, also for errors. `done` must not
  // throw.
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

  // Settings of one task: a JSON object with the texts cwd, env_type (another target),
  // docker_image, singularity_image, modal_image, daytona_image, container_cpu, container_memory or
  // container_disk. Replaces earlier ones. A model must not choose them.
  Result<void> override_task(const std::string& task, std::string_view overrides);
  Result<void> clear_override(const std::string& task);

  // An Error: why no command can run, as far as is known without starting anything.
  Result<void> requirements();

  // Adds a name to Options::pass_through.
  Result<void> pass_through(const std::string& name);
  // Files that other targets get from now on (an engine's container: the next one), by their paths
  // below the home, besides those of terminal.credential_files. Returns those that are refused.
  std::vector<RefusedFile> share_files(const std::vector<std::string>& paths);

 private:
  class Loop;
  explicit Runtime(std::unique_ptr<Loop> loop);
  std::unique_ptr<Loop> loop_;
};

}  // namespace talaria
