#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>

#include "bench/late_lines.h"
#include "bench/program.h"
#include "os/file.h"
#include "os/spawn.h"

namespace talaria::bench {
namespace {

constexpr int kPatience = 10'000;  // ms

double milliseconds_since(const std::string& printed) {
  const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  return (now.count() - std::stod(printed)) * 1000;
}

// One `talaria logs -f`, until it is destroyed.
class Logs {
 public:
  Logs(const Home& home, const Process& process, int output) {
    const std::vector<std::string> environment = home.environment();
    os::SpawnSpec spec{.path = home.talaria_path().c_str(),
                       .argv = {"talaria", "logs", "-f", process.id.c_str()},
                       .fds = {-1, output, STDERR_FILENO},
                       .new_session = false};
    for (const std::string& entry : environment) spec.env.push_back(entry.c_str());
    const auto pid = os::spawn_process(spec);
    if (!pid) throw std::runtime_error(pid.error().message());
    pid_ = *pid;
  }
  Logs(Logs&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}
  Logs& operator=(Logs&&) = delete;
  ~Logs() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGTERM);
    wait_for(pid_);
  }

 private:
  pid_t pid_ = -1;
};

class ManyLogs final : public LateLines {
 public:
  ManyLogs(const Home& home, const Process& loud, const std::vector<Process>& quiet) {
    logs_.emplace_back(home, loud, -1);
    for (const Process& process : quiet) {
      auto pipe = os::make_pipe();
      if (!pipe) throw std::runtime_error(pipe.error().message());
      logs_.emplace_back(home, process, pipe->writer.get());
      waits_.push_back({.fd = pipe->reader.get(), .events = POLLIN, .revents = 0});
      outputs_.push_back(std::move(pipe->reader));
    }
  }

  double next() override {
    for (;;) {
      for (pollfd& wait : waits_) {
        if (std::exchange(wait.revents, short{0}) == 0) continue;
        const std::string line = os::read_line(wait.fd);
        if (line.empty()) throw std::runtime_error("a `talaria logs -f` ended");
        return milliseconds_since(line);
      }
      if (::poll(waits_.data(), waits_.size(), kPatience) < 1) {
        throw std::runtime_error("no line in 10 s");
      }
    }
  }

 private:
  std::vector<Logs> logs_;
  std::vector<os::UniqueFd> outputs_;
  std::vector<pollfd> waits_;
};

}  // namespace

std::unique_ptr<LateLines> follow_with_logs(const Home& home, const Process& loud,
                                            const std::vector<Process>& quiet) {
  return std::make_unique<ManyLogs>(home, loud, quiet);
}

}  // namespace talaria::bench
