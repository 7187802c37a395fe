#include "tools/run_command.h"

#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "host/child_env.h"
#include "host/hooks.h"
#include "policy/redact.h"
#include "policy/sudo/sudo.h"
#include "tools/interrupt_trace.h"
#include "tools/process_text.h"
#include "tools/start_record.h"
#include "tools/ticker.h"

namespace talaria::tool {
namespace {

using Clock = std::chrono::steady_clock;
using environment::CommandOutcome;
using environment::CommandSpec;
using environment::ProcessSpec;
using environment::StartedProcess;
using host::EnvironmentPtr;

// How often a command is judged again because its session changes its meaning. Twice is usual: a
// function may run its arguments.
constexpr int kMaxRounds = 8;
// The exit code of a command whose directory does not exist.
constexpr int kNoDirectory = 126;

// As people are asked about it, and as it is logged.
std::string shown_script(const std::string& source) {
  return "execute_code <<'PY'\n" + source + (source.ends_with('\n') ? "" : "\n") + "PY";
}

// Where it would run, as far as is known here.
std::string directory_for(const ToolCall& call, const CommandSpec& spec) {
  std::string session =
      spec.session.empty() ? spec.first_cwd : call.services.environments.directory_of(call.task());
  if (!spec.workdir) return session;
  const bool complete = spec.workdir->starts_with('/') || spec.workdir->starts_with('~');
  if (complete) return *spec.workdir;
  return session.empty() ? "" : session + "/" + *spec.workdir;
}

guard::StartInput input_of(const CommandSpec& spec, bool open) {
  using Kind = guard::StartInput::Kind;
  if (!spec.stdin_data) return {.kind = open ? Kind::open : Kind::none};
  return {.kind = open ? Kind::open : Kind::text, .text = *spec.stdin_data};
}

bool takes_more_input(const ProcessSpec& how) { return how.takes_input || how.terminal; }

// Asks policy. Nothing if it may run; else why it is not run.
Task<std::optional<Error>> stopped(const ToolCall& call, const policy::CommandQuestion& question,
                                   policy::Decision& decision) {
  decision = co_await call.services.policy.decide(question, call.cancel);
  if (decision.approved || decision.reason == policy::Reason::unseen) co_return std::nullopt;
  std::string text = not_started_text(decision);
  if (decision.reason == policy::Reason::interrupted) {
    co_return Error(ErrorKind::interrupted, std::move(text));
  }
  co_return policy::refusal(decision, std::move(text));
}

// A decision about one target is not valid for another: the task may have been moved while
// somebody was asked.
Task<Result<EnvironmentPtr>> find_environment(const ToolCall& call,
                                              policy::CommandQuestion& question, bool took_time) {
  host::Settings& settings = call.services.settings;
  if (took_time) {
    Result<host::ConfigPtr> config = settings.of(call.task());
    if (!config) co_return fail(config.error());
    question.config = std::move(*config);
  }
  auto environment = co_await call.services.environments.get(call.task(), question.config);
  if (!environment) co_return environment;
  const std::string now = settings.target_of(call.task());
  if (now == question.target) co_return environment;
  co_return fail(ErrorKind::unavailable, "the task was moved to target '" + now +
                                             "' while it was decided about '" + question.target +
                                             "'; call again");
}

// The session makes something else of the command than was judged.
void judge_again(const ToolCall& call, policy::CommandQuestion& question,
                 const policy::Decision& decision, const CommandSpec& spec,
                 shell::SessionDefinitions found) {
  call.services.policy.known().learn(question.target, spec.session, decision.judged, found,
                                     question.cwd);
  if (!found.directory.empty()) question.cwd = found.directory;
  question.session = std::move(found);
  question.remembered = false;
  question.looked = decision.judged;
}

// Takes the session along to where an override wants it.
std::optional<host::SessionMove> begin_move(const ToolCall& call, CommandSpec& spec) {
  auto move = spec.session.empty() ? std::nullopt : call.services.settings.begin_move(call.task());
  if (move) spec.move_to = move->directory;
  return move;
}

// Looks at what the session makes of the command, before somebody is asked about it.
Task<Result<void>> look(const ToolCall& call, host::EnvironmentPtr environment,
                        policy::CommandQuestion& question, const policy::Decision& decision,
                        CommandSpec spec) {
  const auto move = begin_move(call, spec);
  spec.judged = decision.judged;
  auto found = co_await environment->look(spec, call.cancel);
  if (move) call.services.settings.end_move(call.task(), *move, false);
  if (!found) co_return fail(found.error());
  question.can_look = found->has_value();
  if (*found) judge_again(call, question, decision, spec, std::move(**found));
  co_return Result<void>();
}

std::chrono::microseconds since(Clock::time_point begin) {
  return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin);
}

std::chrono::microseconds duration_of(const CommandOutcome& outcome, Clock::time_point) {
  return outcome.duration;
}
std::chrono::microseconds duration_of(const StartedProcess&, Clock::time_point begin) {
  return since(begin);
}

policy::CommandEnding ending_of(const CommandOutcome& outcome) {
  policy::CommandEnding ending{
      .process = outcome.handed_over, .cwd = outcome.cwd, .bytes = outcome.total};
  if (outcome.handed_over.empty()) ending.exit_code = result_code(outcome);
  return ending;
}
policy::CommandEnding ending_of(const StartedProcess& started) { return {.process = started.id}; }

void add_all(std::vector<std::string>& to, const std::vector<std::string>& notices) {
  to.insert(to.end(), notices.begin(), notices.end());
}

// Has it recorded how the command ended, and adds what the caller should know.
template <class Outcome>
void record_end(const ToolCall& call, const policy::CommandQuestion& question, Ran<Outcome>& run) {
  if (!run.decision.approved) return;  // that is recorded already
  policy::CommandEnding ending;
  if (run.outcome) ending = ending_of(*run.outcome);
  if (!run.outcome) ending.error = run.outcome.error().message();
  ending.duration = run.facts.duration;
  const auto notices = call.services.policy.ended(question, run.decision, ending);
  if (!run.outcome) return;
  add_all(run.outcome->notices, run.decision.notices);
  add_all(run.outcome->notices, notices);
}

// The steps of every command. `start` starts it in an environment, with a configuration.
template <class Outcome, class Start>
Task<Ran<Outcome>> run(const ToolCall& call, CommandSpec& spec, bool open_input, Start start) {
  const Clock::time_point begin = Clock::now();
  policy::CommandQuestion question = question_about(call, spec, open_input);
  Ran<Outcome> run{.facts = {.target = question.target}};
  if (!call.config) run.outcome = fail(call.config.error());
  for (int round = 1; call.config; ++round) {
    if (const auto error = co_await stopped(call, question, run.decision)) {
      run.outcome = fail(*error);
      break;
    }
    const auto environment = co_await find_environment(call, question, run.decision.took_time);
    if (!environment) {
      run.outcome = fail(environment.error());
      break;
    }
    run.facts.target = (*environment)->target();
    run.facts.transport = (*environment)->transport();
    if (run.decision.reason == policy::Reason::unseen) {
      const auto looked = co_await look(call, *environment, question, run.decision, spec);
      if (!looked) {
        run.outcome = fail(looked.error());
        break;
      }
    } else {
      spec.judged = run.decision.judged;
      run.outcome = co_await start(*environment, question.config);
      if (!run.outcome || !run.outcome->unjudged) break;
      judge_again(call, question, run.decision, spec, std::move(*run.outcome->unjudged));
    }
    if (round < kMaxRounds) continue;
    run.outcome = fail(ErrorKind::unavailable,
                       "the session keeps changing while the command is judged by it; nothing was "
                       "run");
    break;
  }
  run.facts.duration = run.outcome ? duration_of(*run.outcome, begin) : since(begin);
  record_end(call, question, run);
  co_return run;
}

// It runs in any case.
void note_if_not_recorded(const Result<void>& recorded, std::vector<std::string>& notices) {
  if (recorded) return;
  notices.push_back("It runs, but could not be recorded: " + recorded.error().message());
}

// Of a process in the background: what is recorded and listed of it outlives the reason for which
// its secrets were typed. It runs as it was written.
void hide_secrets(CommandSpec& spec) {
  constexpr std::size_t kMostRecorded = 16u << 10;
  std::string shown = policy::redact_command(spec.command, kMostRecorded);
  if (shown != std::string_view(spec.command).substr(0, kMostRecorded)) {
    spec.shown_command = std::move(shown);
  }
}

host::StoredProcess process_of(const ToolCall& call, const CommandSpec& spec,
                               std::string session_key) {
  return {.task = call.task(),
          .environment = call.services.settings.environment_key(call.task()),
          .session_key = std::move(session_key),
          .command = spec.shown_command.empty() ? spec.command : spec.shown_command};
}

Task<Result<CommandOutcome>> run_in(const ToolCall& call, EnvironmentPtr environment,
                                    host::ConfigPtr config, CommandSpec spec) {
  const Services& services = call.services;
  const auto executor = co_await asio::this_coro::executor;
  const Hooks& hooks = services.people.hooks;
  std::optional<Ticker> activity;
  if (hooks.activity) {
    activity.emplace(executor, hooks.activity_interval, [&hooks](std::chrono::seconds elapsed) {
      host::notify_activity(hooks, elapsed);
    });
  }
  const InterruptTrace trace(executor, config->trace_interrupts, call.task(), call.cancel);
  if (spec.if_handed_over) hide_secrets(spec);
  StartRecord note(
      services.journal, *environment,
      process_of(call, spec, spec.if_handed_over ? spec.if_handed_over->session_key : ""));
  const policy::SudoUse sudo = co_await policy::prepare_sudo(services.people, config, call.task(),
                                                             *environment, spec, call.cancel);

  const auto move = begin_move(call, spec);
  const CommandOutcome given_up{.ended = CommandEnd::interrupted};
  Result<CommandOutcome> outcome = given_up;
  if (!call.cancel.cancelled()) outcome = co_await environment->run(std::move(spec), call.cancel);
  if (!outcome && outcome.error().kind() == ErrorKind::interrupted) outcome = given_up;
  // Only a command that ran reports a directory.
  const bool ran = outcome && !outcome->cwd.empty();
  const bool moved = ran && exit_code_of(outcome->status) != kNoDirectory;
  if (move) services.settings.end_move(call.task(), *move, moved);
  if (!outcome) co_return outcome;

  policy::after_sudo(services.people.sudo_passwords, sudo, *outcome);
  if (ran) services.environments.session_is_at(call.task(), outcome->cwd);
  if (!outcome->handed_over.empty()) {
    note_if_not_recorded(co_await note.started(outcome->handed_over), outcome->notices);
  }
  co_return outcome;
}

Task<Result<StartedProcess>> start_in(const ToolCall& call, EnvironmentPtr environment,
                                      CommandSpec spec, ProcessSpec how) {
  hide_secrets(spec);
  StartRecord note(call.services.journal, *environment, process_of(call, spec, how.session_key));
  how.on_sent = [&note](const std::string& id) { note.sent(id); };
  const auto move = begin_move(call, spec);
  Result<StartedProcess> started =
      co_await environment->processes().start(std::move(spec), std::move(how), call.cancel);
  if (move) call.services.settings.end_move(call.task(), *move, started.has_value());
  if (started && !started->unjudged) {
    note_if_not_recorded(co_await note.started(started->id), started->notices);
  } else if (started) {
    note.not_started();  // it is judged again first
  } else {
    note.failed();
  }
  co_return started;
}

Task<Result<StartedProcess>> start_as_in(std::string id, const ToolCall& call,
                                         EnvironmentPtr environment, CommandSpec spec,
                                         ProcessSpec how) {
  hide_secrets(spec);
  co_return co_await environment->processes().start_as(std::move(id), std::move(spec),
                                                       std::move(how), call.cancel);
}

}  // namespace

policy::CommandQuestion question_about(const ToolCall& call, const CommandSpec& spec,
                                       bool open_input) {
  std::string target = call.services.settings.target_of(call.task());
  const std::string directory = directory_for(call, spec);
  // A session of which nothing is known is most likely new.
  const std::string& likely = directory.empty() && !spec.workdir ? spec.first_cwd : directory;
  shell::SessionDefinitions known = call.services.policy.known().of(target, spec.session, likely);
  return {.command = spec.script ? shown_script(spec.script->source) : spec.command,
          .task = call.task(),
          .call = call.context.id,
          .config = call.config_or_defaults(),
          .session_key = call.context.session_key,
          .target = std::move(target),
          .cwd = directory,
          .input = input_of(spec, open_input),
          .variables = spec.caller_variables,
          .workdir = spec.workdir,
          .waits = call.context.waits_for_approval,
          .force = call.context.force,
          .session = std::move(known),
          .remembered = true,
          .can_look = true,
          .judged = spec.script ? spec.script->source : "",
          .script = spec.script.has_value()};
}

CommandSpec command_spec(const ToolCall& call, const host::Config& config) {
  host::Settings& settings = call.services.settings;
  const std::string& session_key = call.context.session_key;
  CommandSpec spec{
      .session = call.task(),
      .workdir = workdir_of(call, config),
      .first_cwd = call.context.first_directory.empty() ? config.cwd : call.context.first_directory,
      .env = settings.variables().child_env(),
      .carried_env = settings.variables().carried_env(),
      .umask = settings.caller().umask};
  set_session_key(spec, session_key);
  set_caller_variables(spec, call.context.variables);
  if (const auto& show = call.context.on_progress) {
    spec.recent_limit = bytes_for_chars(kProgressChars);
    spec.on_recent_output = [show, mask = config.redact_secrets](const ProcessInfo& info) {
      show(shown_tail(info, kProgressChars, mask));
    };
  }
  return spec;
}

std::optional<std::string> workdir_of(const ToolCall& call, const host::Config& config,
                                      std::optional<std::string> asked) {
  if (!call.context.own_directory) return asked;
  if (!asked) return config.cwd;
  const bool complete = asked->starts_with('/') || asked->starts_with('~');
  return complete ? *asked : config.cwd + "/" + *asked;
}

void set_session_key(CommandSpec& spec, const std::string& session_key) {
  if (!session_key.empty()) set_variables(spec, {"HERMES_SESSION_KEY=" + session_key});
}

void set_caller_variables(CommandSpec& spec, const std::vector<std::string>& variables) {
  set_variables(spec, variables);
  spec.caller_variables.insert(spec.caller_variables.end(), variables.begin(), variables.end());
}

void set_variables(CommandSpec& spec, const std::vector<std::string>& variables) {
  for (const std::string_view variable : variables) {
    const std::size_t equals = variable.find('=');
    if (equals == std::string_view::npos) continue;
    for (SharedTexts* env : {&spec.env, &spec.carried_env}) {
      host::set_variable(env->own(), variable.substr(0, equals), variable.substr(equals + 1));
    }
  }
}

Task<CommandRun> run_command(const ToolCall& call, CommandSpec spec) {
  const auto start = [&](EnvironmentPtr environment, host::ConfigPtr config) {
    return run_in(call, std::move(environment), std::move(config), spec);
  };
  CommandRun command = co_await run<CommandOutcome>(call, spec, spec.stdin_fd.has_value(), start);
  if (!command.outcome && command.decision.reason == policy::Reason::interrupted) {
    command.outcome = CommandOutcome{.ended = CommandEnd::interrupted};
    command.facts.duration = command.outcome->duration;
  }
  co_return command;
}

Task<ProcessRun> run_process(const ToolCall& call, CommandSpec spec, ProcessSpec how) {
  const auto start = [&](EnvironmentPtr environment, const host::ConfigPtr&) {
    return start_in(call, std::move(environment), spec, how);
  };
  co_return co_await run<StartedProcess>(call, spec, takes_more_input(how), start);
}

Task<ProcessRun> run_process_as(std::string id, const ToolCall& call, CommandSpec spec,
                                ProcessSpec how) {
  const auto start = [&](EnvironmentPtr environment, const host::ConfigPtr&) {
    return start_as_in(id, call, std::move(environment), spec, how);
  };
  co_return co_await run<StartedProcess>(call, spec, takes_more_input(how), start);
}

}  // namespace talaria::tool
