#include "front/mcp/background_calls.h"

#include <algorithm>
#include <utility>

#include "base/result.h"
#include "front/random_name.h"
#include "json/fields.h"

namespace talaria::front::mcp {
namespace {

using Clock = std::chrono::steady_clock;

// Stored calls; beyond this the oldest ended ones are removed.
constexpr std::size_t kMaxEndedCalls = 64;
// Running scripts of one client; further ones are refused.
constexpr std::ptrdiff_t kMaxStillRunning = 64;
// For `wait` without a timeout; shorter than the timeouts of clients.
constexpr std::chrono::seconds kUsualWait{30};
constexpr std::chrono::seconds kLongestWait{600};

std::chrono::milliseconds wait_in(const json::object& arguments) {
  const json::value* timeout = arguments.if_contains("timeout");
  if (!timeout || !timeout->is_int64() || timeout->get_int64() < 1) return kUsualWait;
  return std::min(std::chrono::seconds(timeout->get_int64()), kLongestWait);
}

}  // namespace

Task<Result<json::object>> BackgroundCalls::call(std::string tool, json::object arguments,
                                           CallContext context, Cancel cancel,
                                           std::chrono::milliseconds wait, AsyncEvent& given_up) {
  const auto runs = [&](const auto& one) {
    return !one.second->answer && one.second->owner == context.session_key;
  };
  if (std::ranges::count_if(calls_, runs) >= kMaxStillRunning) {
    co_return fail(ErrorKind::unavailable,
                   "too many calls are running in the background; wait for one, or kill one");
  }
  const auto call = std::make_shared<Call>();
  call->owner = context.session_key;
  call->tool = std::move(tool);
  call->cancel = cancel;
  call->began = Clock::now();
  ++under_way_;
  spawn(executor_, run(call, std::move(arguments), std::move(context)));
  co_await wait_for(call, wait, given_up);
  if (call->answer) co_return std::move(*call->answer);
  if (cancel.cancelled()) co_return fail(ErrorKind::interrupted, "the call was cancelled");
  std::string id = "call_" + random_name();
  json::object answer = running(id, *call);
  calls_.emplace(std::move(id), call);
  forget_some();
  co_return answer;
}

Task<void> BackgroundCalls::run(CallPointer call, json::object arguments, CallContext context) {
  call->answer =
      co_await runtime_.call(call->tool, std::move(arguments), std::move(context), call->cancel);
  call->number = ++ended_;
  for (AsyncEvent* const event : call->waiting) event->notify_all();
  --under_way_;
  changed_.notify_all();
}

// Until the call has ended, the time is over, or the client gave up.
Task<void> BackgroundCalls::wait_for(CallPointer call, std::chrono::milliseconds wait,
                               AsyncEvent& given_up) {
  if (call->answer) co_return;
  call->waiting.push_back(&given_up);
  co_await given_up.wait_for(wait);
  std::erase(call->waiting, &given_up);
}

json::object BackgroundCalls::running(const std::string& id, const Call& call) {
  const auto age = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - call.began);
  return {{"status", "running"},
          {"session_id", id},
          {"uptime_seconds", age.count()},
          {"note",
           call.tool + " is still running; use process wait with this session_id for its answer"}};
}

Task<json::object> BackgroundCalls::look(std::string owner, json::object arguments,
                                   AsyncEvent& given_up) {
  const std::string id = text_field(arguments, "session_id");
  const std::string action = text_field(arguments, "action");
  const auto found = calls_.find(id);
  if (found == calls_.end() || found->second->owner != owner) {
    co_return json::object{{"status", "not_found"},
                           {"error", "No call with ID " + id +
                                         ": it is unknown, has expired, or its server has ended"}};
  }
  const CallPointer call = found->second;
  if (action == "kill") {
    call->cancel.cancel();
    co_await wait_for(call, kUsualWait, given_up);
  } else if (action == "wait") {
    co_await wait_for(call, wait_in(arguments), given_up);
  } else if (action != "poll" && action != "log") {
    co_return json::object{
        {"error", "Action '" + action + "' is not available for a call; use wait, poll or kill"}};
  }
  if (!call->answer) co_return running(id, *call);
  if (!*call->answer) co_return json::object{{"error", call->answer->error().message()}};
  co_return **call->answer;
}

void BackgroundCalls::forget_some() {
  while (calls_.size() > kMaxEndedCalls) {
    auto oldest = calls_.end();
    for (auto one = calls_.begin(); one != calls_.end(); ++one) {
      if (!one->second->answer) continue;
      if (oldest == calls_.end() || one->second->number < oldest->second->number) oldest = one;
    }
    if (oldest == calls_.end()) return;
    calls_.erase(oldest);
  }
}

void BackgroundCalls::close() {
  for (const auto& [id, call] : calls_) call->cancel.cancel();
}

Task<void> BackgroundCalls::ended() {
  while (under_way_ > 0) co_await changed_.wait();
}

}  // namespace talaria::front::mcp
