#include "tools/terminal.h"

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include <boost/algorithm/string/replace.hpp>

#include "host/hooks.h"
#include "policy/sudo/sudo.h"
#include "tools/background.h"
#include "tools/command_result.h"
#include "tools/exit_code_meaning.h"
#include "tools/run_command.h"
#include "tools/shown_output.h"
#include "tools/terminal_request.h"

namespace talaria::tool {
namespace {

environment::CommandSpec to_spec(TerminalRequest request, const ToolCall& call,
                                 const host::Config& config) {
  environment::CommandSpec spec = command_spec(call, config);
  spec.command = std::move(request.command);
  spec.workdir = workdir_of(call, config, std::move(request.workdir));
  spec.timeout = request.timeout;
  spec.spill_quota = config.spill_quota;
  if (request.if_handed_over) {
    spec.if_handed_over = wanted_process(call, *request.if_handed_over, config);
  }
  limit_output(spec, config.max_output_chars);
  return spec;
}

json::object describe(const Refusal& refusal, const CallFacts& facts) {
  if (refusal.nothing_else) return {{"error", refusal.error}};
  return describe_not_run(refusal.error, refusal.status, facts);
}

// Which of the three ways of not running it was.
json::object describe(const Error& error, const CallFacts& facts) {
  if (facts.transport) {
    return describe_not_run("Command execution failed: " + std::string(kind_name(error.kind())) +
                                ": " + error.message(),
                            "", facts);
  }
  if (error.kind() == ErrorKind::unavailable) {
    return describe_not_run(
        "Terminal tool disabled: environment creation failed (" + error.message() + ")", "disabled",
        facts);
  }
  return describe_not_run("Failed to execute command: " + error.message(), "error", facts);
}

Presentation presentation(const ToolCall& call, const std::string& command,
                          std::chrono::milliseconds timeout, const host::Config& config) {
  Presentation how{.timeout = timeout,
                   .max_output_chars = config.max_output_chars,
                   .for_model = true,
                   .redact = config.redact_secrets};
  const Hooks& hooks = call.services.people.hooks;
  if (hooks.transform_output.empty()) return how;
  how.transform = [&hooks, &call, &command](std::string_view output, int exit_code) {
    return host::transformed(hooks, {.command = command,
                                     .output = output,
                                     .exit_code = exit_code,
                                     .task = call.task(),
                                     .target = call.services.settings.target_of(call.task())});
  };
  return how;
}

void add_meaning(json::object& result, const std::string& command,
                 const environment::CommandOutcome& outcome) {
  if (outcome.ended != CommandEnd::exited) return;
  const std::string_view meaning = exit_code_meaning(command, exit_code_of(outcome.status));
  if (!meaning.empty()) result["exit_code_meaning"] = meaning;
}

}  // namespace

std::string terminal_schema(const host::Config& config,
                            const std::optional<std::vector<std::string>>& /*tools*/) {
  std::string schema(kTerminalSchema);
  boost::algorithm::replace_all(schema, "{most}",
                                std::to_string(config.max_foreground_timeout.count()));
  boost::algorithm::replace_all(schema, "{usual}", std::to_string(config.timeout.count()));
  return schema;
}

Task<json::object> terminal(ToolCall call) {
  const host::ConfigPtr config = call.config_or_defaults();
  const CallFacts not_sent{.target = call.services.settings.target_of(call.task())};
  const bool plain =
      config->carrier.plain || call.services.environments.transport_of(call.task()) == "plain";
  auto request = parse_terminal(call.arguments, *config, !plain);
  if (!request) co_return describe(request.error(), not_sent);
  const std::optional<BackgroundRequest> background = std::move(request->background);

  environment::CommandSpec spec = to_spec(std::move(*request), call, *config);
  if (background) {
    co_return co_await start_in_background(call, std::move(spec), *background, config);
  }
  const std::string command = spec.command;
  const std::chrono::milliseconds timeout = spec.timeout;
  const CommandRun run = co_await run_command(call, std::move(spec));
  if (!run.outcome && !run.decision.approved) {
    co_return describe_refused(run.decision, command, run.facts);
  }
  if (!run.outcome) co_return describe(run.outcome.error(), run.facts);
  json::object result =
      describe_outcome(*run.outcome, run.facts, presentation(call, command, timeout, *config));
  add_meaning(result, command, *run.outcome);
  add_approval(result, run.decision);
  json::string& output = result["output"].as_string();
  output += policy::sudo_tip(*config, output);
  co_return result;
}

}  // namespace talaria::tool
