#include "front/lines/line_server.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "front/call_queue.h"
#include "front/lines/line_approvals.h"
#include "front/lines/line_events.h"
#include "front/lines/line_methods.h"
#include "front/lines/line_protocol.h"
#include "front/stdio_client.h"

namespace talaria::front::lines {
namespace {

class LineServer {
 public:
  LineServer(const asio::any_io_executor& executor, AsioRuntime& runtime, Stdio stdio)
      : runtime_(runtime),
        client_(executor, stdio,
                {.take = [this](std::string_view bytes) { perform(protocol_.feed(bytes)); },
                 .waiting_bytes = [this] { return queue_.waiting_bytes(); },
                 .written = [this] { queue_.resume(); },
                 .stop = [this] { cancel_calls(); }}),
        events_(
            runtime, [this](const std::string& line) { return push(line); },
            [this](Task<void> task) { client_.tasks().start(std::move(task)); }),
        approvals_(runtime, [this](const std::string& line) { return push(line); }) {
    queue_.hold_while([this] { return client_.is_unread(); });
  }

  Task<int> serve() {
    co_await client_.read();
    if (!client_.stopping()) perform(protocol_.end());
    approvals_.end();  // no client is left that could answer
    while (!cancels_.empty()) co_await client_.tasks().change();
    events_.end();
    co_return co_await client_.finish(false);
  }

 private:
  void perform(std::vector<LineAction> actions) {
    for (LineAction& action : actions) {
      if (auto* call = std::get_if<StartCall>(&action)) {
        cancels_.emplace(call->key, Cancel());
        take_call(std::move(*call));
      } else if (const auto* cancel = std::get_if<CancelCall>(&action)) {
        if (const auto found = cancels_.find(cancel->key); found != cancels_.end()) {
          found->second.cancel();
        }
      } else if (const auto* method = std::get_if<AskMethod>(&action)) {
        take_method(*method);
      } else {
        client_.send(std::get<SendLine>(action).line);
      }
    }
    queue_.resume();
  }

  void take_method(const AskMethod& method) {
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
      client_.tasks().start(run_method(method));
    }
  }

  Task<void> run_method(AskMethod method) {
    const std::string key = method.key;
    cancels_.emplace(key, Cancel());  // it is in progress, although it cannot be cancelled
    const auto result = co_await answer_later(runtime_, std::move(method));
    cancels_.erase(key);
    client_.send(protocol_.answer(key, result));
  }

  void take_call(StartCall call) {
    const CallQueue::Kind kind = CallQueue::kind_of_tool(call.tool);
    const std::size_t bytes = call.bytes;
    queue_.add({kind, bytes,
                [this, call = std::move(call)]() mutable { return run_call(std::move(call)); }});
  }

  Task<void> run_call(StartCall call) {
    const std::string key = call.key;
    const Result<json::object> result = co_await runtime_.call(
        std::move(call.tool), std::move(call.arguments), std::move(call.context), cancels_.at(key));
    cancels_.erase(key);
    client_.send(protocol_.answer(key, result));
  }

  // Events are not sent while the client does not read.
  bool push(const std::string& line) {
    if (client_.is_unread()) return false;
    client_.send(line);
    return true;
  }

  void cancel_calls() {
    for (const auto& [key, cancel] : cancels_) cancel.cancel();
  }

  AsioRuntime& runtime_;
  LineProtocol protocol_;
  std::map<std::string, Cancel> cancels_;  // of every call that is not answered yet
  StdioClient client_;
  CallQueue queue_{[this](Task<void> task) { client_.tasks().start(std::move(task)); }};
  LineEvents events_;
  LineApprovals approvals_;
};

}  // namespace

Task<int> serve_lines(AsioRuntime& runtime, Stdio stdio) {
  LineServer server(co_await asio::this_coro::executor, runtime, stdio);
  co_return co_await server.serve();
}

}  // namespace talaria::front::lines
