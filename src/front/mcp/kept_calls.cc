#include "front/mcp/kept_calls.h"

#include <algorithm>
#include <utility>

#include "base/result.h"
#include "front/mcp/mcp_random.h"
#include "json/fields.h"

namespace talaria::front::mcp {
namespace {

using Clock = std::chrono::steady_clock;

// Answers nobody has asked for yet: beyond it the oldest are forgotten.
constexpr std::size_t kMaxKept = 64;
// Scripts of one client that outlived their wait and still run: further ones are refused.
constexpr std::ptrdiff_t kMaxStillRunning = 64;
// `wait` without a timeout: less than clients wait for an answer.
constexpr std::chrono::seconds kUsualWait{30};
constexpr std::chrono::seconds kLongestWait{600};

std::chrono::milliseconds wait_in(const json::object& arguments) {
  const json::value* timeout = arguments.if_contains("timeout");
  if (!timeout || !timeout->is_int64() || timeout->get_int64() < 1) return kUsualWait;
  return std::min(std::chrono::seconds(timeout->get_int64()), kLongestWait);
}

}  // namespace

Task<Result<json::object>> KeptCalls::call(std::string tool, json::object arguments,
                                           CallContext context, Cancel cancel,
                                           std::chrono::milliseconds wait, AsyncEvent& given_up) {
  const auto runs = [&](const auto& one) {
    return !one.second->answer && one.second->owner == context.session_key;
  };
  if (std::ranges::count_if(calls_, runs) >= kMaxStillRunning) {
    co_return fail(ErrorKind::unavailable,
                   "too many calls still run in the background: wait for one of them, or kill it");
  }
  const auto kept = std::make_shared<Kept>();
  kept->owner = context.session_key;
  kept->tool = std::move(tool);
  kept->cancel = cancel;
  kept->began = Clock::now();
  ++under_way_;
  spawn(executor_, run(kept, std::move(arguments), std::move(context)));
  co_await wait_for(kept, wait, given_up);
  if (kept->answer) co_return std::move(*kept->answer);
  if (cancel.cancelled()) co_return fail(ErrorKind::interrupted, "the call was given up");
  std::string id = "call_" + random_name();
  json::object told = running(id, *kept);
  calls_.emplace(std::move(id), kept);
  forget_some();
  co_return told;
}

Task<void> KeptCalls::run(KeptPointer kept, json::object arguments, CallContext context) {
  kept->answer =
      co_await runtime_.call(kept->tool, std::move(arguments), std::move(context), kept->cancel);
  kept->number = ++ended_;
  for (AsyncEvent* const event : kept->waiting) event->notify_all();
  --under_way_;
  changed_.notify_all();
}

// Until it has ended, the time is up, or whoever waits gave up.
Task<void> KeptCalls::wait_for(KeptPointer kept, std::chrono::milliseconds wait,
                               AsyncEvent& given_up) {
  if (kept->answer) co_return;
  kept->waiting.push_back(&given_up);
  co_await given_up.wait_for(wait);
  std::erase(kept->waiting, &given_up);
}

json::object KeptCalls::running(const std::string& id, const Kept& kept) {
  const auto age = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - kept.began);
  return {{"status", "running"},
          {"session_id", id},
          {"uptime_seconds", age.count()},
          {"note", kept.tool + " still runs; process wait with this session_id gives its answer"}};
}

Task<json::object> KeptCalls::look(std::string owner, json::object arguments,
                                   AsyncEvent& given_up) {
  const std::string id = text_field(arguments, "session_id");
  const std::string action = text_field(arguments, "action");
  const auto found = calls_.find(id);
  if (found == calls_.end() || found->second->owner != owner) {
    co_return json::object{{"status", "not_found"},
                           {"error", "No call with ID " + id +
                                         ": it was never made, is forgotten, or the server that "
                                         "made it has ended"}};
  }
  const KeptPointer kept = found->second;
  if (action == "kill") {
    kept->cancel.cancel();
    co_await wait_for(kept, kUsualWait, given_up);
  } else if (action == "wait") {
    co_await wait_for(kept, wait_in(arguments), given_up);
  } else if (action != "poll" && action != "log") {
    co_return json::object{{"error", "A call has no '" + action + "': use wait, poll or kill"}};
  }
  if (!kept->answer) co_return running(id, *kept);
  if (!*kept->answer) co_return json::object{{"error", kept->answer->error().message()}};
  co_return **kept->answer;
}

void KeptCalls::forget_some() {
  while (calls_.size() > kMaxKept) {
    auto oldest = calls_.end();
    for (auto one = calls_.begin(); one != calls_.end(); ++one) {
      if (!one->second->answer) continue;
      if (oldest == calls_.end() || one->second->number < oldest->second->number) oldest = one;
    }
    if (oldest == calls_.end()) return;
    calls_.erase(oldest);
  }
}

void KeptCalls::close() {
  for (const auto& [id, kept] : calls_) kept->cancel.cancel();
}

Task<void> KeptCalls::ended() {
  while (under_way_ > 0) co_await changed_.wait();
}

}  // namespace talaria::front::mcp
