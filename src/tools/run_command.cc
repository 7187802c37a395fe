#include "tools/run_command.h"

#include <chrono>
#include <memory>
#include <utility>

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

}  // namespace

Task<CommandRun> run_command(Host& host, std::string task, CommandSpec spec, CancelToken cancel) {
  const Clock::time_point start = Clock::now();
  CommandRun run{.facts = {.target = host.target()}};

  const Result<std::shared_ptr<Environment>> environment = co_await host.environment(task);
  if (environment) {
    run.facts.target = (*environment)->target();
    run.facts.transport = (*environment)->transport();
    run.outcome = co_await run_in(*environment, std::move(spec), cancel);
  } else {
    run.outcome = fail(environment.error());
  }

  run.facts.duration =
      run.outcome ? run.outcome->duration
                  : std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start);
  co_return run;
}

}  // namespace talaria
