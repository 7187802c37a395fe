#include "tools/exec.h"

#include <utility>

#include "environment/output_window.h"
#include "tools/background.h"
#include "tools/command_result.h"
#include "tools/run_as.h"
#include "tools/shown_output.h"

namespace talaria::tool {
namespace {

// The caller's own directory, unless an override has another for the task, or it is not there.
std::string first_cwd(const host::Settings& settings, const Command& command,
                      const host::Config& config) {
  if (!command.first_directory.empty()) return command.first_directory;
  if (config.target != "local") return config.cwd;
  if (command.task && settings.has_override_cwd(*command.task)) return config.cwd;
  return settings.caller().cwd.value_or(config.cwd);
}

environment::CommandSpec to_spec(host::Settings& settings, const host::Config& config,
                                 Command command) {
  environment::CommandSpec spec{.command = std::move(command.text),
                                .session = command.task.value_or(""),
                                .workdir = std::move(command.workdir),
                                .first_cwd = first_cwd(settings, command, config),
                                .changes_session = command.changes_session,
                                .env = settings.variables().child_env(),
                                .carried_env = settings.variables().carried_env(),
                                .umask = settings.caller().umask,
                                .timeout = command.timeout,
                                .stdin_data = std::move(command.stdin_data),
                                .stdin_fd = command.stdin_fd,
                                .on_output = std::move(command.on_output),
                                .on_errors = std::move(command.on_errors)};
  if (!command.task && spec.workdir && config.target == "local") {
    spec.workdir = settings.caller().absolute(*spec.workdir);
  }
  if (spec.on_output) {
    spec.spill_quota = 0;  // the caller has it all
  } else if (command.raw_output) {
    const std::size_t most = max_output(command, config);
    spec.head_limit = most / 2;
    spec.tail_limit = most - most / 2;
  } else {
    limit_output(spec, max_output(command, config));
  }
  return spec;
}

// The beginning and the end of what is printed to standard output and to standard error.
struct KeptApart {
  explicit KeptApart(environment::CommandSpec& spec)
      : output(spec.head_limit, spec.tail_limit), errors(spec.head_limit, spec.tail_limit) {
    spec.on_output = [this](std::string_view bytes) { output.add(bytes); };
    spec.on_errors = [this](std::string_view bytes) { errors.add(bytes); };
  }
  KeptApart(const KeptApart&) = delete;
  KeptApart& operator=(const KeptApart&) = delete;

  void put_into(environment::CommandOutcome& outcome) {
    output.put_into(outcome);
    outcome.errors = errors.head();
    outcome.errors_tail = errors.tail();
    outcome.errors_total = errors.total();
  }

  environment::OutputWindow output;
  environment::OutputWindow errors;
};

}  // namespace

std::size_t max_output(const Command& command, const host::Config& config) {
  return command.max_output > 0 ? command.max_output : config.max_output_chars;
}

policy::CommandQuestion question_of(Services services, Command command) {
  CallContext context{.task = command.task.value_or(""), .session_key = command.session_key};
  const ToolCall call = begin_call(services, std::move(context), CancelToken());
  const std::vector<std::string> variables = std::move(command.variables);
  environment::CommandSpec spec =
      to_spec(services.settings, *call.config_or_defaults(), std::move(command));
  set_session_key(spec, call.context.session_key);
  set_caller_variables(spec, variables);
  policy::CommandQuestion question = question_about(call, spec, false);
  question.can_look = false;
  return question;
}

Task<CommandRun> exec(Services services, Command command, CancelToken cancel,
                      std::shared_ptr<OutputFlow> flow) {
  CallContext context{.task = command.task.value_or(""),
                      .session_key = command.session_key,
                      .force = command.force,
                      .waits_for_approval = command.waits_for_approval,
                      .id = command.id};
  const ToolCall call = begin_call(services, std::move(context), std::move(cancel));
  const std::vector<std::string> variables = std::move(command.variables);
  const std::string user = std::move(command.user);
  const bool apart = command.errors_apart && !command.on_output;
  environment::CommandSpec spec =
      to_spec(services.settings, *call.config_or_defaults(), std::move(command));
  spec.flow = std::move(flow);
  std::optional<KeptApart> kept;
  if (apart) kept.emplace(spec);
  set_session_key(spec, call.context.session_key);
  if (!user.empty()) {
    if (const auto changed = co_await run_as(call, user, spec); !changed) {
      co_return CommandRun{.facts = {.target = services.settings.target_of(call.task())},
                           .outcome = fail(changed.error())};
    }
  }
  set_caller_variables(spec, variables);
  CommandRun run = co_await run_command(call, std::move(spec));
  if (!kept || !run.outcome) co_return run;
  kept->put_into(*run.outcome);
  if (run.facts.transport == "plain") {
    run.outcome->notices.emplace_back(
        "This target cannot keep standard error apart: it is part of the output.");
  }
  co_return run;
}

Task<ProcessRun> start_process(Services services, ProcessStart start, CancelToken cancel) {
  CallContext context{.task = start.task.value_or(""),
                      .session_key = start.session_key,
                      .force = start.force,
                      .waits_for_approval = start.waits_for_approval,
                      .variables = std::move(start.variables)};
  const ToolCall call = begin_call(services, std::move(context), std::move(cancel));
  const host::ConfigPtr config = call.config_or_defaults();
  Command command{.text = std::move(start.command),
                  .task = std::move(start.task),
                  .workdir = std::move(start.workdir),
                  .first_directory = std::move(start.first_directory)};
  environment::CommandSpec spec = to_spec(services.settings, *config, std::move(command));
  set_session_key(spec, call.context.session_key);
  set_caller_variables(spec, call.context.variables);
  BackgroundRequest request;
  request.notify = start.notify;
  request.watch_patterns = std::move(start.watch_patterns);
  request.lifespan = start.lifespan;
  request.max_age = start.max_age;
  request.takes_input = start.takes_input;
  environment::ProcessSpec how = wanted_process(call, request, *config);
  how.terminal = start.terminal;
  co_return co_await run_process(call, std::move(spec), std::move(how));
}

json::object describe_exec(const CommandRun& run, const std::string& command,
                           const host::Settings& settings, std::chrono::milliseconds timeout) {
  if (!run.outcome && !run.decision.approved) {
    return describe_refused(run.decision, command, run.facts);
  }
  if (!run.outcome) return describe_not_run(run.outcome.error().message(), "error", run.facts);
  json::object result = describe_outcome(
      *run.outcome, run.facts,
      {.timeout = timeout, .max_output_chars = settings.config()->max_output_chars});
  add_approval(result, run.decision);
  return result;
}

}  // namespace talaria::tool
