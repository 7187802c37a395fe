#include "modal/end_watch.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <utility>

namespace talaria::modal {
namespace {

os::UniqueFd block_and_hear() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, signal);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  return os::UniqueFd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

}  // namespace

EndWatch::EndWatch(int out, std::function<void(int signal)> on_end)
    : on_end_(std::move(on_end)),
      signals_(block_and_hear()),
      stop_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      thread_([this, out] { watch(out); }) {}

EndWatch::~EndWatch() {
  ::eventfd_write(stop_.get(), 1);
  thread_.join();
}

void EndWatch::watch(int out) {
  for (;;) {
    // Of `out` only what is always reported: that the other end is closed.
    pollfd waits[] = {{signals_.get(), POLLIN, 0}, {stop_.get(), POLLIN, 0}, {out, 0, 0}};
    if (::poll(waits, 3, -1) < 0) continue;
    if (waits[1].revents != 0) return;
    if (signalfd_siginfo said;
        waits[0].revents != 0 && ::read(signals_.get(), &said, sizeof said) == sizeof said) {
      return on_end_(static_cast<int>(said.ssi_signo));
    }
    if ((waits[2].revents & (POLLERR | POLLHUP)) != 0) return on_end_(kReaderGone);
  }
}

}  // namespace talaria::modal
