#include "front/lines/line_calls.h"

#include <optional>
#include <utility>
#include <variant>

#include "front/lines/line_methods.h"

namespace talaria::front::lines {

LineCalls::LineCalls(AsioRuntime& runtime, Client client)
    : runtime_(runtime),
      client_(std::move(client)),
      queue_([this](Task<void> task) { client_.start(std::move(task)); }),
      events_(
          runtime, [this](const std::string& line) { return push(line); },
          [this](Task<void> task) { client_.start(std::move(task)); }),
      approvals_(runtime, [this](const std::string& line) { return push(line); }) {
  queue_.hold_while([this] { return !client_.reads(); });
}

void LineCalls::cancel(const std::string& key) {
  if (const auto found = cancels_.find(key); found != cancels_.end()) found->second.cancel();
}

void LineCalls::cancel_all() {
  for (const auto& [key, cancel] : cancels_) cancel.cancel();
}

void LineCalls::perform(std::vector<LineAction> actions) {
  for (LineAction& action : actions) {
    if (auto* call = std::get_if<StartCall>(&action)) {
      cancels_.emplace(call->key, Cancel());
      take_call(std::move(*call));
    } else if (const auto* cancelled = std::get_if<CancelCall>(&action)) {
      cancel(cancelled->key);
    } else if (const auto* method = std::get_if<AskMethod>(&action)) {
      take_method(*method);
    } else {
      client_.send(std::get<SendLine>(action).line);
    }
  }
  queue_.resume();
}

void LineCalls::take_method(const AskMethod& method) {
  if (const auto fine = check_params(method); !fine) {
    client_.send(protocol_.answer(method.key, Result<json::object>(fail(fine.error()))));
    return;
  }
  const auto answer = LineEvents::is_method(method.method) ? std::optional(events_.answer(method))
                      : LineApprovals::is_method(method.method)
                          ? std::optional(approvals_.answer(method))
                          : answer_method(runtime_, method);
  if (answer) {
    client_.send(protocol_.answer(method.key, *answer));
  } else {
    client_.start(run_method(method));
  }
}

Task<void> LineCalls::run_method(AskMethod method) {
  const std::string key = method.key;
  cancels_.emplace(key, Cancel());  // it is in progress, although it cannot be cancelled
  const auto result = co_await answer_later(runtime_, std::move(method));
  cancels_.erase(key);
  client_.send(protocol_.answer(key, result));
}

void LineCalls::take_call(StartCall call) {
  const CallQueue::Kind kind = CallQueue::kind_of_tool(call.tool);
  const std::size_t bytes = call.bytes;
  queue_.add({kind, bytes,
              [this, call = std::move(call)]() mutable { return run_call(std::move(call)); }});
}

Task<void> LineCalls::run_call(StartCall call) {
  const std::string key = call.key;
  const Result<json::object> result = co_await runtime_.call(
      std::move(call.tool), std::move(call.arguments), std::move(call.context), cancels_.at(key));
  cancels_.erase(key);
  client_.send(protocol_.answer(key, result));
}

bool LineCalls::push(const std::string& line) {
  if (!client_.reads()) return false;
  client_.send(line);
  return true;
}

}  // namespace talaria::front::lines
