#include "front/mcp/background_calls.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <boost/json/array.hpp>

#include "base/result.h"
#include "front/random_name.h"
#include "json/fields.h"

namespace talaria::front::mcp {
namespace {

using WallClock = std::chrono::system_clock;

// Stored calls; beyond this the oldest ended ones are removed.
constexpr std::size_t kMaxEndedCalls = 64;
// Running scripts of one client; further ones are refused.
constexpr std::ptrdiff_t kMaxStillRunning = 64;
// For `wait` without a timeout; shorter than the timeouts of clients.
constexpr std::chrono::seconds kUsualWait{30};
constexpr std::chrono::seconds kLongestWait{600};
// How often to look what another program stored.
constexpr std::chrono::milliseconds kStoreLook{300};

std::chrono::milliseconds wait_in(const json::object& arguments) {
  const json::value* timeout = arguments.if_contains("timeout");
  const auto seconds = timeout ? whole_seconds(*timeout) : std::nullopt;
  if (!seconds || *seconds < 1) return kUsualWait;
  return std::chrono::seconds(std::min<std::int64_t>(*seconds, kLongestWait.count()));
}

json::object running(const std::string& id, const std::string& tool, WallClock::time_point began) {
  const auto age = std::chrono::duration_cast<std::chrono::seconds>(WallClock::now() - began);
  return {{"status", "running"},
          {"session_id", id},
          {"uptime_seconds", age.count()},
          {"note",
           tool + " is still running; use process wait with this session_id to get its answer"}};
}

json::object answer_of(const Result<json::object>& answer) {
  return answer ? *answer : json::object{{"error", answer.error().message()}};
}

bool is_action(std::string_view action) {
  return action == "wait" || action == "kill" || action == "poll" || action == "log";
}

// How long the action waits for the end.
std::chrono::milliseconds patience_of(std::string_view action, const json::object& arguments) {
  if (action == "wait") return wait_in(arguments);
  return action == "kill" ? kUsualWait : std::chrono::seconds(0);
}

json::object not_found(const std::string& id) {
  return {{"status", "not_found"},
          {"error", "No call with ID " + id + ": it is unknown, or has expired"}};
}

}  // namespace

Task<Result<json::object>> BackgroundCalls::call(std::string owner, std::string tool,
                                                 json::object arguments, CallContext context,
                                                 Cancel cancel, std::chrono::milliseconds wait,
                                                 AsyncEvent& given_up) {
  if (const auto keeper = reach_keeper()) {
    json::object params{
        {"owner", owner},
        {"tool", tool},
        {"arguments", std::move(arguments)},
        {"task", context.task},
        {"session_key", context.session_key},
        {"variables", json::array(context.variables.begin(), context.variables.end())},
        {"progress", context.on_progress != nullptr},
        {"wait_ms", wait.count()}};
    co_return co_await keeper->ask({.method = "call",
                                    .params = std::move(params),
                                    .cancel = cancel,
                                    .on_progress = std::move(context.on_progress)},
                                   given_up);
  }
  const auto runs = [&](const auto& one) {
    return !one.second->answer && one.second->owner == owner;
  };
  if (std::ranges::count_if(calls_, runs) >= kMaxStillRunning) {
    co_return fail(
        ErrorKind::unavailable,
        "too many calls are running in the background; wait for one of them, or kill one");
  }
  const auto call = std::make_shared<Call>();
  call->owner = std::move(owner);
  call->tool = std::move(tool);
  call->cancel = cancel;
  call->began = WallClock::now();
  ++under_way_;
  spawn(executor_, run(call, std::move(arguments), std::move(context)));
  co_await wait_for(call, wait, given_up);
  if (call->answer) co_return std::move(*call->answer);
  if (cancel.cancelled()) co_return fail(ErrorKind::interrupted, "the call was cancelled");
  call->id = "call_" + random_name();
  calls_.emplace(call->id, call);
  forget_some();
  // Without the store, it ends with this program.
  if (co_await stored_.add(call->id, call->owner, call->tool)) {
    spawn(executor_, end_if_wanted(call));
  }
  co_return running(call->id, call->tool, call->began);
}

// Until the call has ended: another program may ask for that.
Task<void> BackgroundCalls::end_if_wanted(CallPointer call) {
  AsyncEvent ended;
  while (!call->answer) {
    co_await wait_for(call, kStoreLook, ended);
    if (call->answer) co_return;
    const auto stored = stored_.find(call->id);
    if (stored && *stored && (*stored)->end_wanted) call->cancel.cancel();
  }
}

Task<void> BackgroundCalls::run(CallPointer call, json::object arguments, CallContext context) {
  call->answer =
      co_await runtime_.call(call->tool, std::move(arguments), std::move(context), call->cancel);
  call->number = ++ended_;
  for (AsyncEvent* const event : call->waiting) event->notify_all();
  if (!call->id.empty()) std::ignore = co_await stored_.end(call->id, answer_of(*call->answer));
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

Task<json::object> BackgroundCalls::look(std::string owner, json::object arguments,
                                         AsyncEvent& given_up) {
  if (keeper_ && !keeper_->is_gone()) {
    json::object params{{"owner", owner}, {"arguments", std::move(arguments)}};
    co_return answer_of(
        co_await keeper_->ask({.method = "look", .params = std::move(params)}, given_up));
  }
  const std::string id = text_field(arguments, "session_id");
  const std::string action = text_field(arguments, "action");
  if (!is_action(action)) {
    co_return json::object{
        {"error", "Action '" + action + "' is not available for a call; use wait, poll or kill"}};
  }
  const auto found = calls_.find(id);
  if (found == calls_.end()) {
    co_return co_await look_elsewhere(std::move(owner), std::move(arguments), given_up);
  }
  const CallPointer call = found->second;
  if (call->owner != owner) co_return not_found(id);
  if (action == "kill") call->cancel.cancel();
  co_await wait_for(call, patience_of(action, arguments), given_up);
  co_return call->answer ? answer_of(*call->answer) : running(id, call->tool, call->began);
}

// A call that another program made.
Task<json::object> BackgroundCalls::look_elsewhere(std::string owner, json::object arguments,
                                                   AsyncEvent& given_up) {
  const std::string id = text_field(arguments, "session_id");
  const std::string action = text_field(arguments, "action");
  const WallClock::time_point until = WallClock::now() + patience_of(action, arguments);
  for (bool asked = false;; asked = true) {
    const auto call = stored_.find(id);
    if (!call) co_return json::object{{"error", call.error().message()}};
    if (!*call || (*call)->owner != owner) co_return not_found(id);
    if ((*call)->answer) co_return *(*call)->answer;
    if ((*call)->lost) {
      co_return json::object{{"status", "lost"},
                             {"error", "The server of this call was killed, and the call with it"}};
    }
    if (action == "kill" && !asked) std::ignore = co_await stored_.want_end(id);
    if (WallClock::now() >= until) co_return running(id, (*call)->tool, (*call)->began);
    if (co_await given_up.wait_for(kStoreLook))
      co_return running(id, (*call)->tool, (*call)->began);
  }
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

std::shared_ptr<ScriptKeeper> BackgroundCalls::reach_keeper() {
  if (!start_keeper_ || (keeper_ && !keeper_->is_gone())) return keeper_;
  const auto pipes = start_keeper_();
  keeper_ = pipes ? ScriptKeeper::with(executor_, *pipes) : nullptr;
  return keeper_;
}

void BackgroundCalls::close() {
  if (keeper_) keeper_->close();
  for (const auto& [id, call] : calls_) call->cancel.cancel();
}

Task<void> BackgroundCalls::ended() {
  while (under_way_ > 0) co_await changed_.wait();
}

Task<int> BackgroundCalls::finish(StdioClient& client, std::function<void(int exit_code)> leave) {
  const int code = co_await client.finish(true);
  if (leave && under_way_ > 0) {
    client.close();
    left_client_ = true;
    leave(code);
  }
  co_await ended();
  co_return code;
}

}  // namespace talaria::front::mcp
