#include <optional>
#include <utility>

#include <boost/asio/steady_timer.hpp>
#include <boost/json/array.hpp>

#include "base/text.h"
#include "front/cli/exec_front.h"
#include "front/cli/process/process_fronts.h"
#include "front/cli/process/process_words.h"
#include "front/cli/report.h"
#include "front/stop_signals.h"
#include "json/json_text.h"

namespace talaria::front::cli {
namespace {

// What ends the wait before the processes do.
struct Limit {
  Cancel cancel;
  int exit_code = 0;  // not 0: it is over

  void over(int code) {
    if (exit_code == 0) exit_code = code;
    cancel.cancel();
  }
};

int report_json(json::array ended, const Limit& limit, const Stdio& stdio) {
  json::object line{{"processes", std::move(ended)}};
  if (limit.exit_code == kWaitTimedOut) line["timed_out"] = true;
  return report_line(line, stdio);
}

}  // namespace

Task<int> wait_front(AsioRuntime& runtime, WaitOptions options, Stdio stdio) {
  const auto executor = co_await asio::this_coro::executor;
  const auto limit = std::make_shared<Limit>();
  std::optional<StopSignals> signals(std::in_place, executor,
                                     [limit](int signal) { limit->over(128 + signal); });
  asio::steady_timer timer(executor);
  if (options.timeout.count() > 0) {
    timer.expires_after(options.timeout);
    timer.async_wait([limit](const boost::system::error_code& error) {
      if (!error) limit->over(kWaitTimedOut);
    });
  }

  AsioProcesses processes(runtime);
  json::array ended;
  int exit_code = 0;
  for (const std::string& id : options.ids) {
    const auto info = co_await processes.watch_end(id, limit->cancel);
    if (limit->exit_code != 0 && !info) break;
    if (!info) {
      report_error(info.error(), options.json, stdio);
      co_return kExecFailed;
    }
    exit_code = exit_code_for(*info);
    ended.push_back(process_json(*info));
    const std::string words = id + " " + end_words(*info) + "\n";
    if (!options.json && report_text(words, stdio) != 0) co_return kExecFailed;
  }
  timer.cancel();
  signals.reset();
  const std::size_t left = options.ids.size() - ended.size();
  if (options.json && report_json(std::move(ended), *limit, stdio) != 0) co_return kExecFailed;
  if (left == 0) co_return exit_code;
  if (limit->exit_code == kWaitTimedOut && !options.json) {
    complain(stdio, (left == 1 ? "1 process" : std::to_string(left) + " processes") +
                        " had not ended after " + in_seconds(options.timeout) + "s");
  }
  co_return limit->exit_code;
}

}  // namespace talaria::front::cli
