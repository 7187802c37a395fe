#include "api/loop_thread.h"

#include "base/signal_block.h"

namespace talaria {

LoopThread::LoopThread(asio::io_context& loop) : work_(asio::make_work_guard(loop)) {
  const SignalsBlocked blocked;
  thread_ = std::thread([&loop] { loop.run(); });
}

}  // namespace talaria
