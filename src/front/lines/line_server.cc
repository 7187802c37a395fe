#include "front/lines/line_server.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/buffer.hpp>

#include "base/limits.h"
#include "front/call_queue.h"
#include "front/line_writer.h"
#include "front/lines/line_approvals.h"
#include "front/lines/line_events.h"
#include "front/lines/line_methods.h"
#include "front/lines/line_protocol.h"
#include "front/shared_stream.h"
#include "front/stop_signals.h"
#include "front/task_group.h"

namespace talaria::front::lines {
namespace {

class LineServer {
 public:
  LineServer(const asio::any_io_executor& executor, AsioRuntime& runtime, Stdio stdio)
      : executor_(executor),
        runtime_(runtime),
        input_(executor, stdio.in),
        tasks_(executor),
        writer_(
            executor, stdio.out,
            [this] {
              queue_.go_on();
              tasks_.notify();
            },
            [this] { give_up(1); }),
        events_(
            runtime, [this](const std::string& line) { return push(line); },
            [this](Task<void> task) { tasks_.start(std::move(task)); }),
        approvals_(runtime, [this](const std::string& line) { return push(line); }) {
    queue_.hold_while([this] { return is_unread(); });
  }

  Task<int> serve() {
    StopSignals signals(executor_, [this](int signal) { give_up(128 + signal); });
    tasks_.start(writer_.write());
    tasks_.start(writer_.watch_reader());
    co_await read_requests();
    approvals_.end();  // nobody is left who could answer
    while (!cancels_.empty()) co_await tasks_.change();
    events_.end();
    writer_.finish();
    if (stopping_) tasks_.start(writer_.limit());
    while (writer_.unsent() > 0) co_await tasks_.change();
    writer_.stop();
    co_await tasks_.ended();
    co_return exit_code_;
  }

 private:
  // Reading.

  Task<void> read_requests() {
    std::vector<char> chunk(64 * 1024);
    while (!stopping_) {
      const auto [error, size] = co_await input_->async_read_some(asio::buffer(chunk), as_values);
      if (error) break;
      perform(protocol_.feed({chunk.data(), size}));
      while (!stopping_ && is_behind()) co_await tasks_.change();
    }
    if (!stopping_) perform(protocol_.end());
  }

  // The client is faster than the work, or does not read: a pipe that fills up tells it.
  bool is_behind() const { return queue_.waiting_bytes() >= kMaxWaitingBytes || is_unread(); }
  bool is_unread() const { return writer_.unsent() >= kMaxUnsentBytes; }

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
        send(std::get<SendLine>(action).line);
      }
    }
    queue_.go_on();
  }

  void take_method(const AskMethod& method) {
    const auto answer = LineEvents::is_method(method.method) ? std::optional(events_.answer(method))
                        : LineApprovals::is_method(method.method)
                            ? std::optional(approvals_.answer(method))
                            : answer_method(runtime_, method);
    if (answer) {
      send(protocol_.answer(method.key, *answer));
    } else {
      tasks_.start(run_method(method));
    }
  }

  Task<void> run_method(AskMethod method) {
    const std::string key = method.key;
    cancels_.emplace(key, Cancel());  // it is under way, though nothing ends it
    const auto result = co_await answer_later(runtime_, std::move(method));
    cancels_.erase(key);
    send(protocol_.answer(key, result));
  }

  // Calls.

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
    send(protocol_.answer(key, result));
  }

  // Writing.

  void send(std::string_view line) {
    writer_.send(line);
    tasks_.notify();
  }

  // What nobody asked for at this moment: not while the client is behind.
  bool push(const std::string& line) {
    if (is_unread()) return false;
    send(line);
    return true;
  }

  // Ending.

  void give_up(int exit_code) {
    if (!std::exchange(stopping_, true)) exit_code_ = exit_code;
    input_->cancel();
    for (const auto& [key, cancel] : cancels_) cancel.cancel();
    tasks_.notify();
  }

  asio::any_io_executor executor_;
  AsioRuntime& runtime_;
  SharedStream input_;
  TaskGroup tasks_;

  LineProtocol protocol_;
  std::map<std::string, Cancel> cancels_;  // of every call not yet answered
  CallQueue queue_{[this](Task<void> task) { tasks_.start(std::move(task)); }};

  LineWriter writer_;

  bool stopping_ = false;
  int exit_code_ = 0;
  LineEvents events_;
  LineApprovals approvals_;
};

}  // namespace

Task<int> serve_lines(AsioRuntime& runtime, Stdio stdio) {
  LineServer server(co_await asio::this_coro::executor, runtime, stdio);
  co_return co_await server.serve();
}

}  // namespace talaria::front::lines
