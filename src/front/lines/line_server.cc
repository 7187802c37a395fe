#include "front/lines/line_server.h"

#include <fcntl.h>

#include <array>
#include <cerrno>
#include <deque>
#include <map>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>

#include "base/limits.h"
#include "front/lines/line_approvals.h"
#include "front/lines/line_events.h"
#include "front/lines/line_methods.h"
#include "front/lines/line_protocol.h"
#include "front/stop_signals.h"

namespace talaria {
namespace {

using Stream = asio::posix::stream_descriptor;

// A second descriptor for `fd`, for Asio to own. Asio makes it non-blocking, and with it whatever
// else shares the open file (a shell's terminal): the flags are put back at the end.
class SharedStream {
 public:
  SharedStream(const asio::any_io_executor& executor, int fd)
      : flags_(::fcntl(fd, F_GETFL)), stream_(executor) {
    const int copy = ::fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (copy < 0) throw std::system_error(errno, std::generic_category(), "dup");
    stream_.assign(copy);
  }
  SharedStream(const SharedStream&) = delete;
  SharedStream& operator=(const SharedStream&) = delete;
  ~SharedStream() { ::fcntl(stream_.native_handle(), F_SETFL, flags_); }

  Stream& operator*() { return stream_; }
  Stream* operator->() { return &stream_; }

 private:
  int flags_;
  Stream stream_;
};

class LineServer {
 public:
  LineServer(const asio::any_io_executor& executor, AsioRuntime& runtime, Stdio stdio)
      : executor_(executor),
        runtime_(runtime),
        input_(executor, stdio.in),
        output_(executor, stdio.out),
        changed_(executor, asio::steady_timer::time_point::max()),
        last_write_(executor),
        events_(
            runtime, [this](std::string line) { return push(std::move(line)); },
            [this](Task<void> task) { start(std::move(task)); }),
        approvals_(runtime, [this](std::string line) { return push(std::move(line)); }) {}

  Task<int> serve() {
    StopSignals signals(executor_, [this](int signal) { give_up(128 + signal); });
    start(write_answers());
    start(watch_output());
    co_await read_requests();
    approvals_.end();  // nobody is left who could answer
    while (!cancels_.empty()) co_await change();
    events_.end();
    no_more_answers_ = true;
    if (stopping_) start(limit_last_write());
    notify();
    while (unsent() > 0) co_await change();
    last_write_.cancel();
    output_->cancel();
    while (tasks_ > 0) co_await change();
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
      while (!stopping_ && is_behind()) co_await change();
    }
    if (!stopping_) perform(protocol_.end());
  }

  // The client is faster than the work, or does not read: a pipe that fills up tells it.
  bool is_behind() const {
    return waiting_bytes_ >= kMaxWaitingBytes || unsent() >= kMaxUnsentBytes;
  }
  std::size_t unsent() const { return unsent_.size() + sending_; }

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
    start_waiting_calls();
  }

  void take_method(const AskMethod& method) {
    const auto answer = LineEvents::is_method(method.method) ? std::optional(events_.answer(method))
                        : LineApprovals::is_method(method.method)
                            ? std::optional(approvals_.answer(method))
                            : answer_method(runtime_, method);
    if (answer) {
      send(protocol_.answer(method.key, *answer));
    } else {
      start(run_method(method));
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

  // Looking at processes costs little and may take as long as they do: many who wait for one must
  // not keep others from ending it.
  void take_call(StartCall call) {
    if (call.tool == "process" && looking_ < kMaxLookingCalls) {
      start(run_call(std::move(call), looking_));
      return;
    }
    waiting_bytes_ += call.bytes;
    waiting_.push_back(std::move(call));
  }

  void start_waiting_calls() {
    while (!waiting_.empty() && running_ < kMaxRunningCalls && unsent() < kMaxUnsentBytes) {
      StartCall call = std::move(waiting_.front());
      waiting_.pop_front();
      waiting_bytes_ -= call.bytes;
      start(run_call(std::move(call), running_));
    }
  }

  // `count`: of those under way that this is one of.
  Task<void> run_call(StartCall call, std::size_t& count) {
    ++count;
    const std::string key = call.key;
    CallContext context{.task = std::move(call.task),
                        .session_key = std::move(call.session_key),
                        .tools = std::move(call.tools),
                        .id = std::move(call.id),
                        .turn = std::move(call.turn)};
    const Result<json::object> result = co_await runtime_.call(
        std::move(call.tool), std::move(call.arguments), std::move(context), cancels_.at(key));
    cancels_.erase(key);
    --count;
    send(protocol_.answer(key, result));
    start_waiting_calls();
  }

  // Writing.

  void send(std::string_view line) {
    if (!broken_) unsent_ += line;
    notify();
  }

  // What nobody asked for at this moment: not while the client is behind.
  bool push(std::string line) {
    if (unsent() >= kMaxUnsentBytes) return false;
    send(line);
    return true;
  }

  Task<void> write_answers() {
    for (;;) {
      while (unsent_.empty() && !no_more_answers_) co_await change();
      if (unsent_.empty()) co_return;
      const std::string lines = std::exchange(unsent_, {});
      sending_ = lines.size();
      const auto [error, size] =
          co_await asio::async_write(*output_, asio::buffer(lines), as_values);
      sending_ = 0;
      if (error) output_is_broken();
      start_waiting_calls();
      notify();
      if (error) co_return;
    }
  }

  // A client that does not read must not hold us up once we were told to stop.
  Task<void> limit_last_write() {
    last_write_.expires_after(kLastWriteWait);
    const auto [error] = co_await last_write_.async_wait(as_values);
    if (!error) output_->cancel();
  }

  // A client that goes away while nothing is to be written is noticed here.
  Task<void> watch_output() {
    const auto [error] = co_await output_->async_wait(Stream::wait_error, as_values);
    if (!error) output_is_broken();
  }

  void output_is_broken() {
    broken_ = true;
    unsent_.clear();
    give_up(1);
  }

  // Ending.

  void give_up(int exit_code) {
    if (!std::exchange(stopping_, true)) exit_code_ = exit_code;
    input_->cancel();
    for (const auto& [key, cancel] : cancels_) cancel.cancel();
    notify();
  }

  // Lets `task` run beside us; serve() does not end before it.
  void start(Task<void> task) {
    ++tasks_;
    spawn(executor_, counted(std::move(task)));
  }

  Task<void> counted(Task<void> task) {
    co_await std::move(task);
    --tasks_;
    notify();
  }

  Task<void> change() { co_await changed_.async_wait(as_values); }
  void notify() { changed_.cancel(); }

  asio::any_io_executor executor_;
  AsioRuntime& runtime_;
  SharedStream input_;
  SharedStream output_;
  asio::steady_timer changed_;  // never expires: cancelled whenever something below changes

  LineProtocol protocol_;
  std::map<std::string, Cancel> cancels_;  // of every call not yet answered
  std::deque<StartCall> waiting_;
  std::size_t waiting_bytes_ = 0;
  std::size_t running_ = 0;
  std::size_t looking_ = 0;

  std::string unsent_;
  std::size_t sending_ = 0;  // bytes on their way
  asio::steady_timer last_write_;
  bool no_more_answers_ = false;
  bool broken_ = false;

  bool stopping_ = false;
  int exit_code_ = 0;
  std::size_t tasks_ = 0;
  LineEvents events_;
  LineApprovals approvals_;
};

}  // namespace

Task<int> serve_lines(AsioRuntime& runtime, Stdio stdio) {
  LineServer server(co_await asio::this_coro::executor, runtime, stdio);
  co_return co_await server.serve();
}

}  // namespace talaria
