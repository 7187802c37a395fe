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
  // Fails if an option or a setting makes no sense, wherever it stands; the message names it.
  // Whether there is such a target is for requirements() to say, or the first call. Nothing is
  // started before the first call. Throws std::system_error if there is no room for a thread.
  static Result<Runtime> make(Options options = {});

  Runtime(Runtime&& other) noexcept;
  Runtime& operator=(Runtime&& other) noexcept;
  // Cancels the calls under way, waits until each has returned or called back, lets go of the
  // environments, ends the thread. What is meant to outlast us stays: sessions, containers in
  // persist mode; the next Runtime finds them.
  ~Runtime();

  // Runs a command to its end. One that fails, times out or is cancelled is an outcome; an Error
  // means that it could not be run, or (runner_lost) that nobody knows how it ended.
  Result<Outcome> run(Command command, Cancel cancel = {});
  void run(Command command, Cancel cancel, std::function<void(Result<Outcome>)> done);

  // Calls a tool as a model does: JSON text in, JSON text out, also for what goes wrong. `done`
  // must not throw.
  std::string call(std::string tool, std::string_view arguments, CallContext context = {},
                   Cancel cancel = {});
  void call(std::string tool, std::string_view arguments, CallContext context, Cancel cancel,
            std::function<void(std::string)> done);

  // Those that were made and not removed.
  std::vector<EnvironmentInfo> environments();
  // Waits until it has ended. The next call of its tasks makes another.
  Result<void> remove_environment(const std::string& id, Removal how = {});
  // All there are; how many. Those that cannot be ended in order are left out.
  Result<std::size_t> remove_all_environments(Removal how = {});
  // What they use, as `env.list` of JSON lines tells it.
  Result<EnvironmentTotals> environment_totals();

  // What shall be different for one task: a JSON object with the texts cwd, env_type (another
  // target), docker_image, singularity_image, modal_image, daytona_image, container_cpu,
  // container_memory or container_disk. Replaces what was said before. Never a model's to say.
  Result<void> override_task(const std::string& task, std::string_view overrides);
  Result<void> clear_override(const std::string& task);

  // Why no command could be run, as far as can be told without doing anything.
  Result<void> requirements();

  // Names one more variable for Options::pass_through.
  Result<void> pass_through(const std::string& name);
  // Files that other targets get from now on (an engine's container: the next one), by their paths
  // below the home, beside those of terminal.credential_files. Returns those that are refused.
  std::vector<RefusedFile> share_files(const std::vector<std::string>& paths);

 private:
  class Loop;
  explicit Runtime(std::unique_ptr<Loop> loop);
  std::unique_ptr<Loop> loop_;
};

}  // namespace talaria
