#include "os/child_process.h"

#include <sys/wait.h>

#include <csignal>

#include "os/file.h"

namespace talaria::os {

ChildProcess::~ChildProcess() {
  if (pid_ <= 0) return;
  ::kill(-pid_, SIGKILL);  // it leads its own session
  wait();
}

int ChildProcess::wait() {
  if (pid_ <= 0) return -1;
  int status = -1;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return status;
}

void ChildProcess::dismiss(int signal) {
  if (pid_ > 0 && signal != 0) ::kill(pid_, signal);
  pid_ = -1;
}

Result<PipedChild> spawn_piped(SpawnSpec spec, int error_fd) {
  auto in = make_pipe();
  if (!in) return fail(in.error());
  auto out = make_pipe(256 * 1024);  // it may have much to say
  if (!out) return fail(out.error());
  spec.fds = {in->reader.get(), out->writer.get(), error_fd};
  const auto pid = spawn_process(spec);
  if (!pid) return fail(pid.error());
  return PipedChild{ChildProcess(*pid), std::move(in->writer), std::move(out->reader)};
}

}  // namespace talaria::os
