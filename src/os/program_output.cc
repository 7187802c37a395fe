#include "os/program_output.h"

#include <unistd.h>

#include <array>

#include "os/child_process.h"
#include "os/file.h"
#include "os/own_environment.h"

namespace talaria::os {
namespace {

constexpr std::size_t kMostOutput = 64 * 1024;

}  // namespace

Result<std::string> program_output(const std::vector<std::string>& argv,
                                   std::chrono::milliseconds patience) {
  using Clock = std::chrono::steady_clock;
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
