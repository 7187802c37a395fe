#include "front/stop_signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace talaria::front {

StopSignals::StopSignals(const asio::any_io_executor& executor,
                         std::function<void(int signal)> on_first, std::function<void()> on_hangup)
    : source_(executor),
      on_first_(std::move(on_first)),
      on_hangup_(std::move(on_hangup)),
      alive_(std::make_shared<StopSignals*>(this)) {
  sigset_t stops;
  sigemptyset(&stops);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&stops, signal);
  const int fd = ::signalfd(-1, &stops, SFD_NONBLOCK | SFD_CLOEXEC);
  if (fd < 0) throw std::system_error(errno, std::generic_category(), "signalfd");
  source_.assign(fd);
  ::pthread_sigmask(SIG_BLOCK, &stops, &previous_);
  wait();
}

StopSignals::~StopSignals() { ::pthread_sigmask(SIG_SETMASK, &previous_, nullptr); }

void StopSignals::wait() {
  source_.async_wait(source_.wait_read,
                     [alive = std::weak_ptr(alive_)](const boost::system::error_code& error) {
                       const auto self = alive.lock();
                       if (self && !error) (*self)->take();
                     });
}

void StopSignals::take() {
  wait();
  signalfd_siginfo info;
  if (::read(source_.native_handle(), &info, sizeof info) != sizeof info) return;
  const int signal = static_cast<int>(info.ssi_signo);
  if (signal == SIGHUP && on_hangup_) return on_hangup_();
  if (!on_first_) ::_exit(128 + signal);
  std::exchange(on_first_, nullptr)(signal);
}

}  // namespace talaria::front
