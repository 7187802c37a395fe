#include "tools/run_command.h"

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "policy/sudo/sudo.h"
#include "tools/interrupt_trace.h"
#include "tools/process_note.h"
#include "tools/ticker.h"

namespace talaria {
namespace {

using Clock = std::chrono::steady_clock;

Task<Result<CommandOutcome>> run_in(std::shared_ptr<Environment> environment, CommandSpec spec,
                                    CancelToken cancel) {
  const CommandOutcome given_up{.ended = CommandEnd::interrupted};
  if (cancel.cancelled()) co_return given_up;
  const Result<CommandOutcome> outcome = co_await environment->run(std::move(spec), cancel);
  if (!outcome && outcome.error().kind() == ErrorKind::interrupted) co_return given_up;
  co_return outcome;
}

constexpr int kNoDirectory = 126;

// Takes the session along to where an override wants it. Only a command that ran tells a directory
// afterwards; without the directory it is bash that says so.
Task<Result<CommandOutcome>> run_moving(Host& host, std::string task,
                                        std::shared_ptr<Environment> environment, CommandSpec spec,
                                        CancelToken cancel) {
  const auto move = spec.session.empty() ? std::nullopt : host.begin_move(task);
  if (move) spec.move_to = move->directory;
  Result<CommandOutcome> outcome = co_await run_in(environment, std::move(spec), cancel);
  const bool ran = outcome && !outcome->cwd.empty();
  if (move) host.end_move(task, *move, ran && exit_code_of(outcome->status) != kNoDirectory);
  co_return outcome;
}

// It runs in any case.
void tell_if_not_written(const Result<void>& written, std::vector<std::string>& notices) {
  if (written) return;
  notices.push_back("It runs, but that could not be written down: " + written.error().message());
}

}  // namespace

Task<CommandRun> run_command(Host& host, std::string task, CommandSpec spec, CancelToken cancel) {
  const Clock::time_point start = Clock::now();
  CommandRun run{.facts = {.target = host.target_of(task)}};

  const Result<std::shared_ptr<Environment>> environment = co_await host.environment(task);
  if (environment) {
    run.facts.target = (*environment)->target();
    run.facts.transport = (*environment)->transport();
    const auto executor = co_await asio::this_coro::executor;
    const Hooks& hooks = host.hooks();
    std::optional<Ticker> activity;
    if (hooks.activity) {
      activity.emplace(executor, hooks.activity_interval,
                       [&hooks](std::chrono::seconds elapsed) { tell_activity(hooks, elapsed); });
    }
    const InterruptTrace trace(executor, host.config() && host.config()->trace_interrupts, task,
                               cancel);
    const StoredProcess process{
        .session_key = spec.if_handed_over ? spec.if_handed_over->session_key : "",
        .command = spec.command};
    const SudoUse sudo = co_await prepare_sudo(host, task, **environment, spec, cancel);
    run.outcome = co_await run_moving(host, task, *environment, std::move(spec), cancel);
    if (run.outcome) after_sudo(host, sudo, *run.outcome);
    if (run.outcome && !run.outcome->cwd.empty()) host.session_is_at(task, run.outcome->cwd);
    if (run.outcome && !run.outcome->handed_over.empty()) {
      ProcessNote note(host, task, **environment, process);
      tell_if_not_written(note.started(run.outcome->handed_over), run.outcome->notices);
    }
  } else {
    run.outcome = fail(environment.error());
  }

  run.facts.duration =
      run.outcome ? run.outcome->duration
                  : std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start);
  co_return run;
}

Task<ProcessRun> run_process(Host& host, std::string task, CommandSpec spec, ProcessSpec how,
                             CancelToken cancel) {
  const Clock::time_point start = Clock::now();
  ProcessRun run{.facts = {.target = host.target_of(task)}};
  const Result<std::shared_ptr<Environment>> environment = co_await host.environment(task);
  if (environment) {
    run.facts.target = (*environment)->target();
    run.facts.transport = (*environment)->transport();
    ProcessNote note(host, task, **environment,
                     {.session_key = how.session_key, .command = spec.command});
    how.on_sent = [&note](const std::string& id) { note.sent(id); };
    const auto move = spec.session.empty() ? std::nullopt : host.begin_move(task);
    if (move) spec.move_to = move->directory;
    run.started =
        co_await (*environment)->processes().start(std::move(spec), std::move(how), cancel);
    if (move) host.end_move(task, *move, run.started.has_value());
    if (run.started) {
      tell_if_not_written(note.started(run.started->id), run.started->notices);
    } else {
      note.failed();
    }
  } else {
    run.started = fail(environment.error());
  }
  run.facts.duration = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start);
  co_return run;
}

}  // namespace talaria
