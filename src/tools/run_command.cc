#include "tools/run_command.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "host/child_env.h"
#include "policy/sudo/sudo.h"
#include "tools/interrupt_trace.h"
#include "tools/process_note.h"
#include "tools/ticker.h"

namespace talaria::tool {
namespace {

using Clock = std::chrono::steady_clock;

Task<Result<environment::CommandOutcome>> run_in(
    std::shared_ptr<environment::Environment> environment, environment::CommandSpec spec,
    CancelToken cancel) {
  const environment::CommandOutcome given_up{.ended = CommandEnd::interrupted};
  if (cancel.cancelled()) co_return given_up;
  const Result<environment::CommandOutcome> outcome =
      co_await environment->run(std::move(spec), cancel);
  if (!outcome && outcome.error().kind() == ErrorKind::interrupted) co_return given_up;
  co_return outcome;
}

constexpr int kNoDirectory = 126;

// Takes the session along to where an override wants it. Only a command that ran tells a directory
// afterwards; without the directory it is bash that says so.
Task<Result<environment::CommandOutcome>> run_moving(
    host::Host& host, std::string task, std::shared_ptr<environment::Environment> environment,
    environment::CommandSpec spec, CancelToken cancel) {
  const auto move = spec.session.empty() ? std::nullopt : host.begin_move(task);
  if (move) spec.move_to = move->directory;
  Result<environment::CommandOutcome> outcome =
      co_await run_in(environment, std::move(spec), cancel);
  const bool ran = outcome && !outcome->cwd.empty();
  if (move) host.end_move(task, *move, ran && exit_code_of(outcome->status) != kNoDirectory);
  co_return outcome;
}

// It runs in any case.
void tell_if_not_written(const Result<void>& written, std::vector<std::string>& notices) {
  if (written) return;
  notices.push_back("It runs, but that could not be written down: " + written.error().message());
}

// Where it would run, as far as is known here.
std::string directory_for(const CommandCall& call, const environment::CommandSpec& spec) {
  const std::string session =
      spec.session.empty() ? spec.first_cwd : call.host.directory_of(call.task);
  if (!spec.workdir) return session;
  const bool complete = spec.workdir->starts_with('/') || spec.workdir->starts_with('~');
  if (complete) return *spec.workdir;
  return session.empty() ? "" : session + "/" + *spec.workdir;
}

// As people are asked about it, and as it is written down.
std::string shown_script(const std::string& source) {
  return "execute_code <<'PY'\n" + source + (source.ends_with('\n') ? "" : "\n") + "PY";
}

// How often a command is judged anew because its session made something else of its words. Twice is
// usual: a function may run what it is given.
constexpr int kMaxRounds = 6;

// A command on its way past policy, with what is told and written down of it.
class Passage {
 public:
  Passage(const CommandCall& call, const environment::CommandSpec& spec)
      : policy_(call.policy),
        cancel_(call.cancel),
        question_{.command = spec.script ? shown_script(spec.script->source) : spec.command,
                  .task = call.task,
                  .session_key = call.session_key,
                  .target = call.host.target_of(call.task),
                  .cwd = directory_for(call, spec),
                  .force = call.force,
                  .session = call.policy.known().of(call.host.target_of(call.task), spec.session),
                  .remembered = true,
                  .script = spec.script.has_value()},
        session_(spec.session) {}

  const std::string& target() const { return question_.target; }
  policy::Decision& decision() { return decision_; }

  // Nothing if it may run; else why it is not run.
  Task<std::optional<Error>> stopped() {
    Result<policy::Decision> decided = co_await policy_.decide(question_, cancel_);
    if (!decided) co_return decided.error();
    const bool agreed_before =
        !question_.approved.empty() && decided->reason == policy::Reason::granted;
    if (agreed_before) {
      decision_.judged = std::move(decided->judged);
    } else {
      decision_ = std::move(*decided);
    }
    if (decision_.approved) co_return std::nullopt;
    const bool given_up = decision_.reason == policy::Reason::interrupted;
    std::string why = decision_.message;
    if (decision_.reason == policy::Reason::pending) {
      why += "\nIt runs once if it is approved and called again: talaria approve " + decision_.id;
    }
    co_return Error(given_up ? ErrorKind::interrupted : ErrorKind::denied, why);
  }

  const shell::JudgedWords& judged() const { return decision_.judged; }

  // The session makes something else of its words than was decided about. False: once too often.
  bool judge_again_with(shell::SessionDefinitions met) {
    policy_.known().learn(question_.target, session_, decision_.judged.words, met);
    question_.session = std::move(met);
    question_.remembered = false;
    question_.approved = decision_.rules;
    return ++rounds_ < kMaxRounds;
  }

  // What was decided about one target does not count for another: the task may have been moved
  // while somebody was asked.
  std::optional<Error> not_as_decided(const host::Host& host) const {
    const std::string now = host.target_of(question_.task);
    if (now == question_.target) return std::nullopt;
    return Error(ErrorKind::unavailable, "the task was moved to target '" + now +
                                             "' while it was decided about '" + question_.target +
                                             "'; call again");
  }

  // What to tell the caller besides.
  std::vector<std::string> ended(const policy::CommandEnding& ending) {
    std::vector<std::string> notices = policy_.ended(question_, decision_, ending);
    notices.insert(notices.begin(), decision_.notices.begin(), decision_.notices.end());
    return notices;
  }

 private:
  policy::CommandPolicy& policy_;
  CancelToken cancel_;
  policy::CommandQuestion question_;
  std::string session_;
  policy::Decision decision_{.approved = true};
  int rounds_ = 0;
};

policy::CommandEnding ending_of(const CommandRun& run) {
  policy::CommandEnding ending{.duration = run.facts.duration};
  if (!run.outcome) {
    ending.error = run.outcome.error().message();
    return ending;
  }
  if (run.outcome->handed_over.empty()) ending.exit_code = result_code(*run.outcome);
  ending.process = run.outcome->handed_over;
  ending.cwd = run.outcome->cwd;
  ending.bytes = run.outcome->total;
  return ending;
}

policy::CommandEnding ending_of(const ProcessRun& run) {
  policy::CommandEnding ending{.duration = run.facts.duration};
  if (run.started) ending.process = run.started->id;
  if (!run.started) ending.error = run.started.error().message();
  return ending;
}

void add_all(std::vector<std::string>& to, const std::vector<std::string>& notices) {
  to.insert(to.end(), notices.begin(), notices.end());
}

std::chrono::microseconds since(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start);
}

// In the environment that was found for it.
Task<Result<environment::CommandOutcome>> run_there(
    CommandCall call, std::shared_ptr<environment::Environment> environment,
    environment::CommandSpec spec) {
  host::Host& host = call.host;
  const auto executor = co_await asio::this_coro::executor;
  const Hooks& hooks = host.hooks();
  std::optional<Ticker> activity;
  if (hooks.activity) {
    activity.emplace(executor, hooks.activity_interval, [&hooks](std::chrono::seconds elapsed) {
      host::tell_activity(hooks, elapsed);
    });
  }
  const InterruptTrace trace(executor, host.config() && host.config()->trace_interrupts, call.task,
                             call.cancel);
  const host::StoredProcess process{
      .session_key = spec.if_handed_over ? spec.if_handed_over->session_key : "",
      .command = spec.command};
  const policy::SudoUse sudo =
      co_await policy::prepare_sudo(host, call.task, *environment, spec, call.cancel);
  Result<environment::CommandOutcome> outcome =
      co_await run_moving(host, call.task, environment, std::move(spec), call.cancel);
  if (outcome) policy::after_sudo(host, sudo, *outcome);
  if (outcome && !outcome->cwd.empty()) host.session_is_at(call.task, outcome->cwd);
  if (outcome && !outcome->handed_over.empty()) {
    ProcessNote note(host, call.task, *environment, process);
    tell_if_not_written(note.started(outcome->handed_over), outcome->notices);
  }
  co_return outcome;
}

Task<Result<environment::StartedProcess>> start_there(
    CommandCall call, std::shared_ptr<environment::Environment> environment,
    environment::CommandSpec spec, environment::ProcessSpec how) {
  host::Host& host = call.host;
  ProcessNote note(host, call.task, *environment,
                   {.session_key = how.session_key, .command = spec.command});
  how.on_sent = [&note](const std::string& id) { note.sent(id); };
  const auto move = spec.session.empty() ? std::nullopt : host.begin_move(call.task);
  if (move) spec.move_to = move->directory;
  Result<environment::StartedProcess> started =
      co_await environment->processes().start(std::move(spec), std::move(how), call.cancel);
  if (move) host.end_move(call.task, *move, started.has_value());
  if (started) {
    tell_if_not_written(note.started(started->id), started->notices);
  } else {
    note.failed();
  }
  co_return started;
}

Task<Result<environment::StartedProcess>> start_there_as(
    std::string id, CancelToken cancel, std::shared_ptr<environment::Environment> environment,
    environment::CommandSpec spec, environment::ProcessSpec how) {
  co_return co_await environment->processes().start_as(std::move(id), std::move(spec),
                                                       std::move(how), cancel);
}

// The environment it may run in, with what is known of the way there in `facts`.
Task<Result<std::shared_ptr<environment::Environment>>> find_environment(CommandCall call,
                                                                         Passage& passage,
                                                                         CallFacts& facts) {
  if (const auto stopped = co_await passage.stopped()) co_return fail(*stopped);
  auto environment = co_await call.host.environment(call.task);
  if (!environment) co_return environment;
  if (const auto moved = passage.not_as_decided(call.host)) co_return fail(*moved);
  facts.target = (*environment)->target();
  facts.transport = (*environment)->transport();
  co_return environment;
}

template <class Outcome>
using Attempt = Task<Result<Outcome>>;

// Has it judged and run, until it was judged by what its words mean where it runs.
template <class Outcome>
Task<Result<Outcome>> pass(
    CommandCall call, Passage& passage, CallFacts& facts, environment::CommandSpec& spec,
    const std::function<Attempt<Outcome>(std::shared_ptr<environment::Environment>)>& attempt) {
  for (;;) {
    const auto environment = co_await find_environment(call, passage, facts);
    if (!environment) co_return fail(environment.error());
    spec.judged = passage.judged();
    Result<Outcome> outcome = co_await attempt(*environment);
    if (!outcome || !outcome->unjudged) co_return outcome;
    if (passage.judge_again_with(std::move(*outcome->unjudged))) continue;
    co_return fail(ErrorKind::unavailable,
                   "the aliases and functions of the session keep changing while the command is "
                   "judged by them; nothing was run");
  }
}

}  // namespace

CommandCall command_call(const ToolCall& call) {
  return {.host = call.host,
          .policy = call.policy,
          .task = call.task,
          .session_key = call.session_key,
          .cancel = call.cancel,
          .force = call.force};
}

environment::CommandSpec command_spec(const ToolCall& call, const host::Config& config) {
  environment::CommandSpec spec{.session = call.task,
                                .first_cwd = config.cwd,
                                .env = call.host.child_env(),
                                .carried_env = call.host.carried_env(),
                                .umask = call.host.caller().umask};
  for (std::vector<std::string>* env : {&spec.env, &spec.carried_env}) {
    if (!call.session_key.empty()) host::set_variable(*env, "HERMES_SESSION_KEY", call.session_key);
    for (const std::string_view variable : call.variables) {
      const std::size_t equals = variable.find('=');
      if (equals == std::string_view::npos) continue;
      host::set_variable(*env, variable.substr(0, equals), variable.substr(equals + 1));
    }
  }
  return spec;
}

Task<CommandRun> run_command(CommandCall call, environment::CommandSpec spec) {
  const Clock::time_point start = Clock::now();
  Passage passage(call, spec);
  CommandRun run{.facts = {.target = passage.target()}};
  const std::function<Attempt<environment::CommandOutcome>(
      std::shared_ptr<environment::Environment>)>
      attempt = [&](std::shared_ptr<environment::Environment> environment) {
        return run_there(call, std::move(environment), spec);
      };
  run.outcome = co_await pass(call, passage, run.facts, spec, attempt);
  if (!run.outcome && passage.decision().reason == policy::Reason::interrupted) {
    run.outcome = environment::CommandOutcome{.ended = CommandEnd::interrupted};
  }
  run.facts.duration = run.outcome ? run.outcome->duration : since(start);
  run.decision = passage.decision();
  if (!run.decision.approved) co_return run;
  const auto notices = passage.ended(ending_of(run));
  if (run.outcome) add_all(run.outcome->notices, notices);
  co_return run;
}

namespace {

Task<ProcessRun> run_started(CommandCall call, environment::CommandSpec& spec,
                             const std::function<Attempt<environment::StartedProcess>(
                                 std::shared_ptr<environment::Environment>)>& attempt) {
  const Clock::time_point start = Clock::now();
  Passage passage(call, spec);
  ProcessRun run{.facts = {.target = passage.target()}};
  run.started = co_await pass(call, passage, run.facts, spec, attempt);
  run.facts.duration = since(start);
  run.decision = passage.decision();
  if (!run.decision.approved) co_return run;
  const auto notices = passage.ended(ending_of(run));
  if (run.started) add_all(run.started->notices, notices);
  co_return run;
}

}  // namespace

Task<ProcessRun> run_process(CommandCall call, environment::CommandSpec spec,
                             environment::ProcessSpec how) {
  const std::function<Attempt<environment::StartedProcess>(
      std::shared_ptr<environment::Environment>)>
      attempt = [&](std::shared_ptr<environment::Environment> environment) {
        return start_there(call, std::move(environment), spec, how);
      };
  co_return co_await run_started(call, spec, attempt);
}

Task<ProcessRun> run_process_as(std::string id, CommandCall call, environment::CommandSpec spec,
                                environment::ProcessSpec how) {
  const std::function<Attempt<environment::StartedProcess>(
      std::shared_ptr<environment::Environment>)>
      attempt = [&](std::shared_ptr<environment::Environment> environment) {
        return start_there_as(id, call.cancel, std::move(environment), spec, how);
      };
  co_return co_await run_started(call, spec, attempt);
}

}  // namespace talaria::tool
