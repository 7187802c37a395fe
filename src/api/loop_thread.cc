#include "api/loop_thread.h"

#include <signal.h>

namespace talaria {
namespace {

// Blocks every signal of the calling thread; one it starts inherits that.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &previous_);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &previous_, nullptr); }

 private:
  sigset_t previous_;
};

}  // namespace

LoopThread::LoopThread(asio::io_context& loop) : work_(asio::make_work_guard(loop)) {
  const SignalsBlocked blocked;
  thread_ = std::thread([&loop] { loop.run(); });
}

}  // namespace talaria
