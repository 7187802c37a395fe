#include "tools/exec.h"

#include <utility>

#include "tools/command_result.h"
#include "tools/shown_output.h"

namespace talaria::tool {
namespace {

// The caller's own directory, unless an override has another for the task, or it is not there.
std::string first_cwd(const host::Host& host, const Command& command, const host::Config& config) {
  if (config.target != "local") return config.cwd;
  if (command.task && host.has_override_cwd(*command.task)) return config.cwd;
  return host.caller().cwd.value_or(config.cwd);
}

environment::CommandSpec to_spec(host::Host& host, const std::string& task, Command command) {
  const host::Config config = host.config_of(task).value_or(host::Config{});
  environment::CommandSpec spec{.command = std::move(command.text),
                                .session = command.task.value_or(""),
                                .workdir = std::move(command.workdir),
                                .first_cwd = first_cwd(host, command, config),
                                .env = host.child_env(),
                                .carried_env = host.carried_env(),
                                .umask = host.caller().umask,
                                .timeout = command.timeout,
                                .stdin_data = std::move(command.stdin_data),
                                .on_output = std::move(command.on_output)};
  if (!command.task && spec.workdir && config.target == "local") {
    spec.workdir = host.caller().absolute(*spec.workdir);
  }
  if (spec.on_output) {
    spec.spill_quota = 0;  // the caller has it all
  } else {
    limit_output(spec, config.max_output_chars);
  }
  return spec;
}

}  // namespace

Task<CommandRun> exec(host::Host& host, policy::CommandPolicy& policy, Command command,
                      CancelToken cancel) {
  const std::string task = command.task.value_or(std::string(host::kDefaultTask));
  const bool force = command.force;
  environment::CommandSpec spec = to_spec(host, task, std::move(command));
  co_return co_await run_command({.host = host,
                                  .policy = policy,
                                  .task = task,
                                  .session_key = {},
                                  .cancel = cancel,
                                  .force = force},
                                 std::move(spec));
}

json::object describe_exec(const CommandRun& run, const std::string& command,
                           const host::Host& host, std::chrono::milliseconds timeout) {
  if (!run.outcome && !run.decision.approved) {
    return describe_refused(run.decision, command, run.facts);
  }
  if (!run.outcome) return describe_not_run(run.outcome.error().message(), "error", run.facts);
  json::object result =
      describe_outcome(*run.outcome, run.facts,
                       {.timeout = timeout, .max_output_chars = host.config()->max_output_chars});
  add_approval(result, run.decision);
  return result;
}

}  // namespace talaria::tool
