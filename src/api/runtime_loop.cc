#include "api/runtime_loop.h"

#include <unistd.h>

#include <chrono>

#include "api/core.h"
#include "base/signal_block.h"
#include "base/time_limit.h"
#include "os/random.h"

namespace talaria {
namespace {

// How long targets that end with us may take; some save files first.
constexpr auto kEndPatience = std::chrono::seconds(90);

Error wrong_process() {
  return {
      ErrorReason::forked, ErrorKind::unavailable,
      "this process was forked from the one that made the Runtime, and its thread is only there; "
      "make another Runtime here"};
}

}  // namespace

Error would_wait_for_itself(const std::string& what) {
  return {ErrorReason::callback_thread, ErrorKind::bad_request,
          what +
              " waits, and was called from a callback on the runtime's own thread, which it "
              "would wait for; use the form with `done`"};
}

Error runtime_closed() {
  return {ErrorReason::closed, ErrorKind::interrupted, "the runtime is being destroyed"};
}

LoopThread::LoopThread(asio::io_context& loop) : work_(asio::make_work_guard(loop)) {
  const SignalsBlocked blocked;
  thread_ = std::thread([&loop] { loop.run(); });
}

RuntimeLoop::RuntimeLoop(Options options)
    : runtime_(std::in_place, io_.get_executor(), std::move(options)),
      own_task_("program-" + os::random_hex(8)) {}

Result<void> RuntimeLoop::open() {
  if (const Result<void> fine = runtime_->check(); !fine) return fine;
  process_ = ::getpid();
  thread_.emplace(io_);
  return {};
}

void RuntimeLoop::close() {
  asio::post(io_, [this] {
    closing_ = true;
    runtime_->core()->cancel_all_calls();
    end_if_idle();
  });
  thread_.reset();
  callbacks_.reset();
  runtime_.reset();
}

bool RuntimeLoop::forked() const { return ::getpid() != process_; }

std::optional<Error> RuntimeLoop::enter() {
  if (forked()) return wrong_process();
  const std::scoped_lock lock(mutex_);
  if (over_) return runtime_closed();
  ++calls_;
  return std::nullopt;
}

void RuntimeLoop::leave() {
  {
    const std::scoped_lock lock(mutex_);
    --calls_;
  }
  end_if_idle();
}

// What is left when no call is (an idle link) does not keep us.
void RuntimeLoop::end_if_idle() {
  if (!closing_) return;
  if (ended_) return finish_if_idle();
  {
    const std::scoped_lock lock(mutex_);
    if (calls_ > 0) return;
  }
  if (std::exchange(ending_, true)) return;
  asio::co_spawn(io_, within(kEndPatience, runtime_->remove_all_environments()),
                 [this](std::exception_ptr thrown, std::optional<std::size_t>) {
                   if (thrown) std::rethrow_exception(thrown);
                   ended_ = true;
                   finish_if_idle();
                 });
}

// A call that was made in the meantime is still answered.
void RuntimeLoop::finish_if_idle() {
  const std::scoped_lock lock(mutex_);
  if (calls_ > 0) return;
  over_ = true;
  io_.stop();
}

}  // namespace talaria
