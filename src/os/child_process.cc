#include "os/child_process.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "os/file.h"
#include "os/own_process.h"

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

Result<std::string> program_output(const std::vector<std::string>& argv,
                                   std::chrono::milliseconds patience) {
  using Clock = std::chrono::steady_clock;
  constexpr std::size_t kMostOutput = 64 * 1024;
  auto pipe = make_pipe();
  if (!pipe) return fail(pipe.error());
  SpawnSpec spec{.path = argv.front().c_str(),
                 .env = own_environment(),
                 .fds = {-1, pipe->writer.get(), pipe->writer.get()}};
  for (const std::string& word : argv) spec.argv.push_back(word.c_str());
  const auto pid = spawn_process(spec);
  if (!pid) return fail(pid.error());
  const ChildProcess process(*pid);  // killed when we have heard enough
  pipe->writer.reset();

  std::string text;
  std::array<char, 4096> chunk;
  const auto until = Clock::now() + patience;
  while (text.size() < kMostOutput) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    if (left.count() <= 0 || !wait_readable(pipe->reader.get(), left)) {
      return fail(ErrorKind::timed_out, argv.front() + " does not answer");
    }
    const ssize_t size = ::read(pipe->reader.get(), chunk.data(), chunk.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    text.append(chunk.data(), static_cast<std::size_t>(size));
  }
  return text;
}

}  // namespace talaria::os
