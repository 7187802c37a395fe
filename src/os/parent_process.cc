#include "os/parent_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <tuple>
#include <utility>

#include "os/file.h"
#include "os/signal.h"

namespace talaria::os {
namespace {

// Ends when the child has, or when it reports a code.
[[noreturn]] void stand_in_for(pid_t child, int report, int signals) {
  std::array<pollfd, 2> ready{pollfd{report, POLLIN, 0}, pollfd{signals, POLLIN, 0}};
  for (;;) {
    if (::poll(ready.data(), ready.size(), -1) < 0) continue;  // EINTR
    signalfd_siginfo signal{};
    if (ready[1].revents != 0 && ::read(signals, &signal, sizeof signal) == sizeof signal) {
      signal_child(child, static_cast<int>(signal.ssi_signo));
    }
    if (ready[0].revents == 0) continue;
    unsigned char code = 0;
    if (::read(report, &code, 1) == 1) ::_exit(code);
    break;
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  ::_exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}

}  // namespace

ParentProcess ParentProcess::leave_behind() {
  sigset_t stop{};
  sigset_t previous{};
  sigemptyset(&stop);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&stop, signal);
  ::sigprocmask(SIG_BLOCK, &stop, &previous);
  const UniqueFd signals(::signalfd(-1, &stop, SFD_CLOEXEC));
  auto report = make_pipe();
  const pid_t own = ::getpid();
  const pid_t child = signals && report ? ::fork() : -1;
  if (child > 0) {
    report->writer.reset();
    stand_in_for(child, report->reader.get(), signals.get());
  }
  ::sigprocmask(SIG_SETMASK, &previous, nullptr);
  ParentProcess parent;
  if (child < 0) return parent;
  parent.report_ = std::move(report->writer);
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, SIGHUP);
  if (::getppid() != own) ::raise(SIGHUP);
  return parent;
}

void ParentProcess::release(int exit_code) {
  ::prctl(PR_SET_PDEATHSIG, 0);
  const UniqueFd nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nothing.get(), fd);
  const auto code = static_cast<unsigned char>(exit_code);
  std::ignore = ::write(report_.get(), &code, 1);
  report_.reset();
}

}  // namespace talaria::os
