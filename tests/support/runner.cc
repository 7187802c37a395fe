#include "support/runner.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <sstream>

#include "os/directory.h"
#include "os/file.h"
#include "os/proc.h"
#include "support/program.h"

namespace talaria::test {
namespace {

std::size_t count_descriptors(pid_t pid, std::string_view prefix) {
  std::size_t count = 0;
  std::error_code error;
  const std::filesystem::path directory = "/proc/" + std::to_string(pid) + "/fd";
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    std::error_code gone;
    const std::string target = std::filesystem::read_symlink(entry.path(), gone).string();
    if (!gone && target.starts_with(prefix)) ++count;
  }
  return count;
}

}  // namespace

std::optional<ProcessName> name_process(pid_t pid) {
  const auto stat = os::read_process_stat(pid);
  if (!stat) return std::nullopt;
  return ProcessName{pid, stat->start_time};
}

bool is_alive(const ProcessName& process) {
  reap_orphans();
  const auto stat = os::read_process_stat(process.pid);
  return stat && stat->start_time == process.start_time && stat->state != 'Z' && stat->state != 'X';
}

std::vector<pid_t> descendants_named(std::string_view name) {
  std::vector<pid_t> found;
  for (const pid_t pid : os::descendants(::getpid())) {
    const auto stat = os::read_process_stat(pid);
    if (stat && stat->state != 'Z' && stat->name == name) found.push_back(pid);
  }
  return found;
}

void reap_orphans() {
  for (const pid_t pid : os::descendants(::getpid())) {
    const auto stat = os::read_process_stat(pid);
    if (!stat || stat->state != 'Z' || stat->parent != ::getpid() || Program::owns(pid)) continue;
    ::waitpid(pid, nullptr, WNOHANG);
  }
}

std::optional<Runner> Runner::in(const std::string& directory) {
  const auto text = os::read_file(directory + "/runner-v1", 4096);
  if (!text) return std::nullopt;
  std::istringstream lines(*text);
  Runner runner;
  lines >> runner.pid_ >> runner.instance_;
  if (const auto stat = os::read_process_stat(runner.pid_)) runner.start_time_ = stat->start_time;
  return runner;
}

std::string directory_below(const std::string& parent, const std::string& prefix) {
  for (const std::string& name : os::names_in(parent)) {
    if (name.starts_with(prefix)) return parent + "/" + name;
  }
  return parent + "/" + prefix;
}

bool Runner::alive() const { return is_alive({pid_, start_time_}); }

void Runner::kill(int signal) const {
  if (alive()) ::kill(pid_, signal);
}

bool Runner::wait_gone(std::chrono::milliseconds patience) const {
  return eventually([this] { return !alive(); }, patience);
}

// A reaper that was just born has the nursery's name for a moment, but is no child of the runner.
pid_t Runner::nursery() const {
  for (const pid_t pid : os::descendants(pid_)) {
    const auto stat = os::read_process_stat(pid);
    if (stat && stat->parent == pid_ && stat->name == "talaria-nursery") return pid;
  }
  return -1;
}

std::vector<pid_t> Runner::reapers() const {
  std::vector<pid_t> found;
  for (const pid_t pid : os::descendants(pid_)) {
    const auto stat = os::read_process_stat(pid);
    if (stat && stat->state != 'Z' && stat->name == "talaria-reaper") found.push_back(pid);
  }
  return found;
}

std::vector<pid_t> Runner::shells() const {
  std::vector<pid_t> found;
  for (const pid_t reaper : reapers()) {
    for (const pid_t pid : os::descendants(reaper)) found.push_back(pid);
  }
  return found;
}

std::vector<pid_t> Runner::zombies() const {
  std::vector<pid_t> found;
  for (const pid_t pid : os::descendants(pid_)) {
    const auto stat = os::read_process_stat(pid);
    if (stat && stat->state == 'Z') found.push_back(pid);
  }
  return found;
}

std::size_t Runner::open_descriptors() const { return count_descriptors(pid_, ""); }

std::size_t Runner::open_sockets() const { return count_descriptors(pid_, "socket:"); }

}  // namespace talaria::test
