// RuntimeLoop: the event loop behind a Runtime, its thread, and the calls that other threads make
// on it. What else an embedding program has (Processes, ...) shares it; once the Runtime is
// destroyed, their calls fail.
#pragma once

#include <sys/types.h>
#include <talaria/options.h>

#include <cstddef>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "api/asio_runtime.h"
#include "api/callback_threads.h"
#include "api/output_relay.h"
#include "base/result.h"
#include "base/task.h"

namespace talaria {

// LoopThread: a thread that runs an event loop until that is stopped. It blocks signals, which are
// for the threads of the embedding program.
class LoopThread {
 public:
  explicit LoopThread(asio::io_context& loop);  // throws std::system_error
  LoopThread(const LoopThread&) = delete;
  LoopThread& operator=(const LoopThread&) = delete;
  ~LoopThread() { thread_.join(); }

 private:
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  std::thread thread_;
};

template <class T>
using Done = std::function<void(Result<T>)>;

class RuntimeLoop {
 public:
  template <class T>
  using Begin = std::function<Task<Result<T>>(AsioRuntime&)>;
  // The same for what has output.
  template <class T>
  using BeginRelayed = std::function<Task<Result<T>>(AsioRuntime&, std::shared_ptr<OutputRelay>)>;

  explicit RuntimeLoop(Options options);
  RuntimeLoop(const RuntimeLoop&) = delete;
  RuntimeLoop& operator=(const RuntimeLoop&) = delete;

  Result<void> open();
  // Cancels the calls, waits for their ends and ends the thread. Not twice.
  void close();

  // We are in a process that was forked from that of open(): its thread is not here, and nothing of
  // this object may be touched.
  bool forked() const;
  // The task of calls that name none.
  const std::string& own_task() const { return own_task_; }

  // What `question` answers at once, asked on the loop.
  template <class T>
  Result<T> ask(const std::function<Result<T>(AsioRuntime&)>& question);
  // What a call on the loop returns. `what`: the name of the function that waits.
  template <class T>
  Result<T> wait(const std::string& what, Begin<T> begin);
  // Has `begin` make a call and `done` take its result, on the loop; at once if there is no loop.
  template <class T>
  void start(Begin<T> begin, Done<T> done);

  // The same with a relay to `sink`, which is called on the thread that waits, or on a thread of
  // its own.
  template <class T>
  Result<T> wait_relayed(const std::string& what, OutputRelay::Sink sink, BeginRelayed<T> begin);
  template <class T>
  void start_relayed(OutputRelay::Sink sink, BeginRelayed<T> begin, Done<T> done);

 private:
  bool is_this_thread() { return io_.get_executor().running_in_this_thread(); }
  std::optional<Error> enter();  // an Error: no call can be made
  void leave();
  void end_if_idle();
  void finish_if_idle();

  asio::io_context io_{1};
  std::optional<AsioRuntime> runtime_;
  std::string own_task_;
  pid_t process_ = -1;
  std::mutex mutex_;
  std::size_t calls_ = 0;  // this and the next: by any thread
  bool over_ = false;      // no call will be answered any more
  bool closing_ = false;   // this and the next two: on the loop
  bool ending_ = false;
  bool ended_ = false;
  std::optional<CallbackThreads> callbacks_{std::in_place};
  std::optional<LoopThread> thread_;
};

Error would_wait_for_itself(const std::string& what);
Error runtime_closed();

template <class T>
Task<Result<T>> failed(Error error) {
  co_return fail(std::move(error));
}

template <class T>
Task<Result<T>> answered(Result<T> value) {
  co_return value;
}

template <class T>
Task<Result<T>> as_result(Task<T> task) {
  co_return co_await std::move(task);
}

template <class T>
Result<T> RuntimeLoop::ask(const std::function<Result<T>(AsioRuntime&)>& question) {
  if (!forked() && is_this_thread()) {
    return closing_ ? fail(runtime_closed()) : question(*runtime_);
  }
  return wait<T>("", [&](AsioRuntime& runtime) { return answered<T>(question(runtime)); });
}

template <class T>
Result<T> RuntimeLoop::wait(const std::string& what, Begin<T> begin) {
  if (!forked() && is_this_thread()) return fail(would_wait_for_itself(what));
  // Shared: the waiting thread may be gone before the promise is destroyed.
  const auto answer = std::make_shared<std::promise<Result<T>>>();
  start<T>(std::move(begin), [answer](Result<T> found) { answer->set_value(std::move(found)); });
  return answer->get_future().get();
}

template <class T>
void RuntimeLoop::start(Begin<T> begin, Done<T> done) {
  if (auto error = enter()) return done(fail(std::move(*error)));
  asio::post(io_, [this, begin = std::move(begin), done = std::move(done)]() mutable {
    Task<Result<T>> call = closing_ ? failed<T>(runtime_closed()) : begin(*runtime_);
    asio::co_spawn(
        io_, std::move(call),
        [this, done = std::move(done)](std::exception_ptr thrown, Result<T> result) noexcept {
          if (thrown) std::rethrow_exception(thrown);
          done(std::move(result));
          leave();
        });
  });
}

template <class T>
Result<T> RuntimeLoop::wait_relayed(const std::string& what, OutputRelay::Sink sink,
                                    BeginRelayed<T> begin) {
  if (forked()) return wait<T>(what, nullptr);
  if (is_this_thread()) return fail(would_wait_for_itself(what));
  const auto pump = std::make_shared<Pump>();
  const auto relay = std::make_shared<OutputRelay>(
      io_.get_executor(), std::move(sink),
      [pump](std::function<void()> work) { pump->post(std::move(work)); });
  const auto answer = std::make_shared<std::promise<Result<T>>>();
  start<T>(
      [begin = std::move(begin), relay](AsioRuntime& runtime) { return begin(runtime, relay); },
      [answer, pump](Result<T> found) {
        answer->set_value(std::move(found));
        pump->end();
      });
  pump->serve();
  return answer->get_future().get();
}

template <class T>
void RuntimeLoop::start_relayed(OutputRelay::Sink sink, BeginRelayed<T> begin, Done<T> done) {
  if (forked()) return start<T>(nullptr, std::move(done));
  const auto relay = std::make_shared<OutputRelay>(
      io_.get_executor(), std::move(sink),
      [this](std::function<void()> work) { callbacks_->post(std::move(work)); });
  start<T>(
      [begin = std::move(begin), relay](AsioRuntime& runtime) { return begin(runtime, relay); },
      std::move(done));
}

}  // namespace talaria
