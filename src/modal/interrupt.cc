#include "modal/interrupt.h"

#include <poll.h>
#include <sys/eventfd.h>

#include <cerrno>

#include <grpcpp/client_context.h>

namespace talaria::modal {

Interrupt::Interrupt() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void Interrupt::trigger() {
  const std::lock_guard lock(mutex_);
  triggered_ = true;
  for (grpc::ClientContext* context : calls_) context->TryCancel();
  ::eventfd_write(event_.get(), 1);
  woken_.notify_all();
}

bool Interrupt::sleep(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  return !woken_.wait_for(lock, time, [this] { return triggered_.load(); });
}

bool Interrupt::wait_for_input(int fd) const {
  pollfd waits[] = {{fd, POLLIN, 0}, {event_.get(), POLLIN, 0}};
  while (!triggered() && waits[0].revents == 0) {
    if (::poll(waits, 2, -1) < 0 && errno != EINTR) break;  // the read says what is wrong
  }
  return !triggered();
}

Interrupt::Call::Call(Interrupt& interrupt, grpc::ClientContext& context)
    : interrupt_(interrupt), context_(context) {
  const std::lock_guard lock(interrupt_.mutex_);
  interrupt_.calls_.insert(&context_);
  if (interrupt_.triggered_) context_.TryCancel();
}

Interrupt::Call::~Call() {
  const std::lock_guard lock(interrupt_.mutex_);
  interrupt_.calls_.erase(&context_);
}

}  // namespace talaria::modal
