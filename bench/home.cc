#include "bench/home.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <utility>

#include "bench/program.h"
#include "os/unique_fd.h"

namespace talaria::bench {
namespace {

constexpr int kStopWait = 30'000;  // ms

std::string make_directory() {
  std::string path = (std::filesystem::temp_directory_path() / "talaria-bench-XXXXXX").string();
  if (::mkdtemp(path.data()) == nullptr) {
    throw std::runtime_error("mkdtemp " + path + ": " + std::strerror(errno));
  }
  return path;
}

std::optional<pid_t> runner_in(const std::string& directory) {
  std::ifstream file(directory + "/runner-v1");
  pid_t pid = 0;
  if (!(file >> pid) || pid <= 1) return std::nullopt;
  return pid;
}

void stop(pid_t pid) {
  const os::UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!process) return;  // gone already
  ::syscall(SYS_pidfd_send_signal, process.get(), SIGTERM, nullptr, 0);
  pollfd end{.fd = process.get(), .events = POLLIN, .revents = 0};
  if (::poll(&end, 1, kStopWait) == 0) {
    ::syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, 0);
  }
}

}  // namespace

Home::Home(std::string talaria_path, Runners runners)
    : talaria_path_(std::move(talaria_path)), runners_(runners), directory_(make_directory()) {}

Home::~Home() {
  stop_runner();
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

std::vector<std::string> Home::environment() const {
  std::vector<std::string> environment = plain_environment();
  environment.push_back("TALARIA_HOME=" + directory_);
  environment.emplace_back(
      "TALARIA_APPROVALS_HEADLESS=allow");  // what is measured is not dangerous
  if (runners_ == Runners::one) environment.emplace_back("TERMINAL_LOCAL_RUNNERS=1");
  return environment;
}

pid_t Home::runner_pid() const {
  const auto pid = runner_in(directory_ + "/talaria/run/local");
  if (!pid) throw std::runtime_error("no runner in " + directory_);
  return *pid;
}

void Home::stop_runner() const {
  std::error_code none;
  for (const auto& one : std::filesystem::directory_iterator(directory_ + "/talaria/run", none)) {
    if (const auto pid = runner_in(one.path().string())) stop(*pid);
  }
}

}  // namespace talaria::bench
