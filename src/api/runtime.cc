#include <talaria/asio.h>
#include <talaria/runtime.h>

#include <atomic>
#include <future>
#include <optional>
#include <thread>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "api/core.h"
#include "base/result.h"
#include "base/signal_block.h"
#include "base/task.h"
#include "base/time_limit.h"
#include "json/json_text.h"

namespace talaria {
namespace {

// LoopThread: a thread that runs an event loop until that is stopped. It blocks signals, which are
// for the threads of the embedding program.
class LoopThread {
 public:
  explicit LoopThread(asio::io_context& loop) : work_(asio::make_work_guard(loop)) {
    const SignalsBlocked blocked;
    thread_ = std::thread([&loop] { loop.run(); });  // throws std::system_error
  }
  LoopThread(const LoopThread&) = delete;
  LoopThread& operator=(const LoopThread&) = delete;
  ~LoopThread() { thread_.join(); }

 private:
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  std::thread thread_;
};

// How long targets that end with us may take; some save files first.
constexpr auto kEndPatience = std::chrono::seconds(90);

Error would_wait_for_itself(const std::string& what) {
  return Error(ErrorKind::bad_request,
               what +
                   " waits, and was called from a callback on the runtime's own thread, which it "
                   "would wait for; use the form with `done`");
}

Error closing() { return Error(ErrorKind::interrupted, "the runtime is being destroyed"); }

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

// For a model, also if the tool was not called.
std::string to_text(const Result<json::object>& result) {
  return to_line(result ? *result : json::object{{"error", result.error().message()}});
}

}  // namespace

// The loop and its thread. All but start() happens on that thread.
class Runtime::Loop {
 public:
  explicit Loop(Options options)
      : runtime_(std::in_place, io_.get_executor(), std::move(options)) {}

  // Ends once no call is left; see ~Runtime.
  ~Loop() {
    if (!thread_) return;
    asio::post(io_, [this] {
      closing_ = true;
      runtime_->core()->cancel_all_calls();
      stop_if_idle();
    });
    thread_.reset();
  }

  Result<void> open() {
    if (const Result<void> fine = runtime_->check(); !fine) return fine;
    thread_.emplace(io_);
    return {};
  }

  bool is_this_thread() { return io_.get_executor().running_in_this_thread(); }

  // What `question` answers at once, asked on the loop.
  template <class T>
  Result<T> ask(const std::function<Result<T>(AsioRuntime&)>& question) {
    if (is_this_thread()) return closing_ ? fail(closing()) : question(*runtime_);
    return wait<T>("", [&](AsioRuntime& runtime) { return answered<T>(question(runtime)); });
  }

  // The same for what takes time.
  template <class T>
  Result<T> wait(const std::string& what, std::function<Task<Result<T>>(AsioRuntime&)> begin) {
    if (is_this_thread()) return fail(would_wait_for_itself(what));
    // Shared: the waiting thread may be gone before the promise is destroyed.
    const auto answer = std::make_shared<std::promise<Result<T>>>();
    start<T>(std::move(begin), [answer](Result<T> found) { answer->set_value(std::move(found)); });
    return answer->get_future().get();
  }

  // Has `begin` make a call and `done` take its result.
  template <class T>
  void start(std::function<Task<Result<T>>(AsioRuntime&)> begin,
             std::function<void(Result<T>)> done) {
    ++calls_;  // already now: a loop that ends waits for it
    asio::post(io_, [this, begin = std::move(begin), done = std::move(done)]() mutable {
      Task<Result<T>> call = closing_ ? failed<T>(closing()) : begin(*runtime_);
      asio::co_spawn(
          io_, std::move(call),
          [this, done = std::move(done)](std::exception_ptr thrown, Result<T> result) noexcept {
            if (thrown) std::rethrow_exception(thrown);
            done(std::move(result));
            --calls_;
            stop_if_idle();
          });
    });
  }

 private:
  // What is left then (an idle link) does not keep us.
  void stop_if_idle() {
    if (!closing_ || calls_ > 0 || std::exchange(ending_, true)) return;
    asio::co_spawn(io_, within(kEndPatience, runtime_->remove_all_environments()),
                   [this](std::exception_ptr thrown, std::optional<std::size_t>) {
                     if (thrown) std::rethrow_exception(thrown);
                     io_.stop();
                   });
  }

  asio::io_context io_{1};
  std::optional<AsioRuntime> runtime_;
  std::atomic<std::size_t> calls_ = 0;
  bool closing_ = false;
  bool ending_ = false;
  std::optional<LoopThread> thread_;
};

Result<Runtime> Runtime::make(Options options) {
  auto loop = std::make_unique<Loop>(std::move(options));
  if (const Result<void> opened = loop->open(); !opened) return fail(opened.error());
  return Runtime(std::move(loop));
}

Runtime::Runtime(std::unique_ptr<Loop> loop) : loop_(std::move(loop)) {}
Runtime::Runtime(Runtime&& other) noexcept = default;
Runtime& Runtime::operator=(Runtime&& other) noexcept = default;
Runtime::~Runtime() = default;

Result<Outcome> Runtime::run(Command command, Cancel cancel) {
  return loop_->wait<Outcome>("run()", [&](AsioRuntime& runtime) {
    return runtime.run(std::move(command), std::move(cancel));
  });
}

void Runtime::run(Command command, Cancel cancel, std::function<void(Result<Outcome>)> done) {
  loop_->start<Outcome>(
      [command = std::move(command), cancel = std::move(cancel)](AsioRuntime& runtime) mutable {
        return runtime.run(std::move(command), std::move(cancel));
      },
      std::move(done));
}

std::string Runtime::call(std::string tool, std::string_view arguments, CallContext context,
                          Cancel cancel) {
  return to_text(loop_->wait<json::object>("call()", [&](AsioRuntime& runtime) {
    return runtime.call_text(std::move(tool), arguments, std::move(context), std::move(cancel));
  }));
}

void Runtime::call(std::string tool, std::string_view arguments, CallContext context, Cancel cancel,
                   std::function<void(std::string)> done) {
  loop_->start<json::object>(
      [tool = std::move(tool), text = std::string(arguments), context = std::move(context),
       cancel = std::move(cancel)](AsioRuntime& runtime) mutable {
        return runtime.call_text(std::move(tool), text, std::move(context), std::move(cancel));
      },
      [done = std::move(done)](const Result<json::object>& result) { done(to_text(result)); });
}

std::vector<EnvironmentInfo> Runtime::environments() {
  return loop_
      ->ask<std::vector<EnvironmentInfo>>(
          [](const AsioRuntime& runtime) { return runtime.environments(); })
      .value_or(std::vector<EnvironmentInfo>());
}

Result<void> Runtime::remove_environment(const std::string& id, Removal how) {
  return loop_->wait<void>("remove_environment()", [&](AsioRuntime& runtime) {
    return runtime.remove_environment(id, how);
  });
}

Result<std::size_t> Runtime::remove_all_environments(Removal how) {
  return loop_->wait<std::size_t>("remove_all_environments()", [&](AsioRuntime& runtime) {
    return as_result(runtime.remove_all_environments(how));
  });
}

Result<EnvironmentTotals> Runtime::environment_totals() {
  return loop_->wait<EnvironmentTotals>("environment_totals()", [](const AsioRuntime& runtime) {
    return as_result(runtime.environment_totals());
  });
}

Result<void> Runtime::override_task(const std::string& task, std::string_view overrides) {
  const Result<json::object> parsed = parse_object(overrides, "the overrides of a task");
  if (!parsed) return fail(parsed.error());
  return loop_->ask<void>(
      [&](AsioRuntime& runtime) { return runtime.override_task(task, *parsed); });
}

Result<void> Runtime::clear_override(const std::string& task) {
  return loop_->ask<void>([&](AsioRuntime& runtime) {
    runtime.clear_override(task);
    return Result<void>();
  });
}

Result<void> Runtime::pass_through(const std::string& name) {
  return loop_->ask<void>([&](AsioRuntime& runtime) { return runtime.pass_through(name); });
}

std::vector<RefusedFile> Runtime::share_files(const std::vector<std::string>& paths) {
  using Refused = std::vector<RefusedFile>;
  Result<Refused> refused = loop_->ask<Refused>([&](AsioRuntime& runtime) -> Result<Refused> {
    return runtime.share_files(json::array(paths.begin(), paths.end()));
  });
  if (refused) return std::move(*refused);
  Refused all;  // the runtime is being destroyed
  for (const std::string& path : paths) all.push_back({path, refused.error().message()});
  return all;
}

Result<void> Runtime::requirements() {
  return loop_->ask<void>([](const AsioRuntime& runtime) { return runtime.requirements(); });
}

}  // namespace talaria
