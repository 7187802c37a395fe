#include "api/callback_threads.h"

#include <utility>

#include "api/limits.h"
#include "base/signal_block.h"

namespace talaria {

CallbackThreads::~CallbackThreads() {
  {
    const std::scoped_lock lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void CallbackThreads::post(std::function<void()> work) {
  const std::scoped_lock lock(mutex_);
  work_.push_back(std::move(work));
  if (idle_ >= work_.size() || threads_.size() >= kMaxCallbackThreads) {
    changed_.notify_one();
    return;
  }
  const SignalsBlocked blocked;
  threads_.emplace_back([this] { serve(); });
}

void CallbackThreads::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    changed_.wait(lock, [this] { return ending_ || !work_.empty(); });
    --idle_;
    if (work_.empty()) return;
    const std::function<void()> work = std::move(work_.front());
    work_.pop_front();
    lock.unlock();
    work();
    lock.lock();
  }
}

void Pump::post(std::function<void()> work) {
  const std::scoped_lock lock(mutex_);
  work_.push_back(std::move(work));
  changed_.notify_one();
}

void Pump::end() {
  const std::scoped_lock lock(mutex_);
  ended_ = true;
  changed_.notify_one();
}

void Pump::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ended_ || !work_.empty(); });
    if (work_.empty()) return;
    const std::function<void()> work = std::move(work_.front());
    work_.pop_front();
    lock.unlock();
    work();
    lock.lock();
  }
}

}  // namespace talaria
