#include "tools/exec.h"

#include <utility>

#include "shell/quote.h"
#include "tools/command_result.h"
#include "tools/shown_output.h"

namespace talaria {
namespace {

// The caller's own directory, unless an override has another for the task.
std::string first_cwd(const Host& host, const ExecRequest& request, const Config& config) {
  if (request.task && host.has_override_cwd(*request.task)) return config.cwd;
  return host.caller().cwd.value_or(config.cwd);
}

CommandSpec to_spec(Host& host, const std::string& task, ExecRequest request) {
  const Config config = host.config_of(task).value_or(Config{});
  CommandSpec spec{.command = command_text(request.words),
                   .session = request.task.value_or(""),
                   .workdir = std::move(request.workdir),
                   .first_cwd = first_cwd(host, request, config),
                   .env = host.child_env(),
                   .umask = host.caller().umask,
                   .timeout = request.timeout,
                   .stdin_data = std::move(request.stdin_data),
                   .on_output = std::move(request.on_output)};
  if (!request.task && spec.workdir) spec.workdir = host.caller().absolute(*spec.workdir);
  if (spec.on_output) {
    spec.spill_quota = 0;  // the caller has it all
  } else {
    limit_output(spec, config.max_output_chars);
  }
  return spec;
}

}  // namespace

std::string command_text(const std::vector<std::string>& words) {
  if (words.size() == 1) return words.front();
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += ' ';
    text += shell_quote(word);
  }
  return text;
}

Task<CommandRun> exec(Host& host, ExecRequest request, CancelToken cancel) {
  const std::string task = request.task.value_or(std::string(kDefaultTask));
  CommandSpec spec = to_spec(host, task, std::move(request));
  co_return co_await run_command(host, task, std::move(spec), cancel);
}

json::object describe_exec(const CommandRun& run, const Host& host,
                           std::chrono::milliseconds timeout) {
  if (!run.outcome) return describe_not_run(run.outcome.error().message(), "error", run.facts);
  return describe_outcome(
      *run.outcome, run.facts,
      {.timeout = timeout, .max_output_chars = host.config()->max_output_chars});
}

}  // namespace talaria
