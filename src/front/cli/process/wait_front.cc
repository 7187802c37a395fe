#include <optional>
#include <utility>

#include <boost/asio/steady_timer.hpp>
#include <boost/json/array.hpp>

#include "base/text.h"
#include "front/cli/fronts.h"
#include "front/cli/process/process_text.h"
#include "front/cli/report.h"
#include "front/stop_signals.h"
#include "json/json_text.h"

namespace talaria::front::cli {
namespace {

// Ends the wait before the processes end.
struct Limit {
  Cancel cancel;
  int exit_code = 0;  // not 0: it is over

  void over(int code) {
    if (exit_code == 0) exit_code = code;
    cancel.cancel();
  }
};

int report_ended(json::array ended, const Limit& limit, const Stdio& stdio) {
  json::object line{{"processes", std::move(ended)}};
  if (limit.exit_code == kTimedOut) line["timed_out"] = true;
  return report_line(line, stdio);
}

}  // namespace

Task<int> run_command(AsioRuntime& runtime, WaitOptions options, Stdio stdio) {
  const auto executor = co_await asio::this_coro::executor;
  const auto limit = std::make_shared<Limit>();
  std::optional<StopSignals> signals(std::in_place, executor,
                                     [limit](int signal) { limit->over(128 + signal); });
  asio::steady_timer timer(executor);
  if (options.timeout.count() > 0) {
    timer.expires_after(options.timeout);
    timer.async_wait([limit](const boost::system::error_code& error) {
      if (!error) limit->over(kTimedOut);
    });
  }

  AsioProcesses processes(runtime);
  json::array ended;
  int exit_code = 0;
  for (std::string& id : options.ids) {
    const auto whole = processes.full_id(id);
    if (!whole) {
      report_error(whole.error(), options.json, stdio);
      co_return kExecFailed;
    }
    id = *whole;
    const auto info = co_await processes.watch_end(id, limit->cancel);
    if (limit->exit_code != 0 && !info) break;  // those behind it were not waited for
    if (!info) {
      report_error(with_advice(info.error()), options.json, stdio);
      co_return kExecFailed;
    }
    exit_code = exit_code_for(*info);
    ended.push_back(process_json(*info));
    const std::string text = id + " " + end_text(*info) + "\n";
    if (!options.json && report_text(text, stdio) != 0) co_return kExecFailed;
  }
  timer.cancel();
  signals.reset();
  const std::size_t left = options.ids.size() - ended.size();
  if (options.json && report_ended(std::move(ended), *limit, stdio) != 0) co_return kExecFailed;
  if (left == 0) co_return exit_code;
  if (limit->exit_code == kTimedOut && !options.json) {
    const auto first = options.ids.end() - static_cast<std::ptrdiff_t>(left);
    std::string list;
    for (auto id = first; id != options.ids.end(); ++id) list += (list.empty() ? "" : ", ") + *id;
    complain(stdio, "timed out after " + in_seconds(options.timeout) + "s; still running: " + list);
  }
  co_return limit->exit_code;
}

}  // namespace talaria::front::cli
