#include "tools/run_command.h"

#include <chrono>
#include <memory>
#include <utility>

#include <boost/asio/steady_timer.hpp>

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

// Takes the session along to where an override wants it. Only a command that ran tells a directory
// afterwards.
Task<Result<CommandOutcome>> run_moving(Host& host, std::string task,
                                        std::shared_ptr<Environment> environment, CommandSpec spec,
                                        CancelToken cancel) {
  const auto move = spec.session.empty() ? std::nullopt : host.begin_move(task);
  if (move) spec.move_to = move->directory;
  Result<CommandOutcome> outcome = co_await run_in(environment, std::move(spec), cancel);
  if (move) host.end_move(task, *move, outcome && !outcome->cwd.empty());
  co_return outcome;
}

// Says from time to time that a command still runs, as long as it lives.
class ActivityTicker {
 public:
  ActivityTicker(const asio::any_io_executor& executor, const Hooks& hooks) {
    if (!hooks.activity) return;
    timer_ = std::make_shared<asio::steady_timer>(executor);
    tick(timer_, hooks, Clock::now());
  }
  ActivityTicker(const ActivityTicker&) = delete;
  ActivityTicker& operator=(const ActivityTicker&) = delete;
  ~ActivityTicker() {
    if (timer_) timer_->cancel();
  }

 private:
  static void tick(const std::shared_ptr<asio::steady_timer>& timer, const Hooks& hooks,
                   Clock::time_point start) {
    timer->expires_after(hooks.activity_interval);
    const std::weak_ptr<asio::steady_timer> weak = timer;
    timer->async_wait([weak, &hooks, start](boost::system::error_code error) {
      const auto alive = weak.lock();
      if (error || !alive) return;
      tell_activity(hooks, std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - start));
      tick(alive, hooks, start);
    });
  }

  std::shared_ptr<asio::steady_timer> timer_;
};

}  // namespace

Task<CommandRun> run_command(Host& host, std::string task, CommandSpec spec, CancelToken cancel) {
  const Clock::time_point start = Clock::now();
  CommandRun run{.facts = {.target = host.target_of(task)}};

  const Result<std::shared_ptr<Environment>> environment = co_await host.environment(task);
  if (environment) {
    run.facts.target = (*environment)->target();
    run.facts.transport = (*environment)->transport();
    const ActivityTicker ticker(co_await asio::this_coro::executor, host.hooks());
    run.outcome = co_await run_moving(host, task, *environment, std::move(spec), cancel);
  } else {
    run.outcome = fail(environment.error());
  }

  run.facts.duration =
      run.outcome ? run.outcome->duration
                  : std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start);
  co_return run;
}

}  // namespace talaria
