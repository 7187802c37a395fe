#include "bench/process_facts.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "os/proc.h"

namespace talaria::bench {
namespace {

std::string proc(pid_t pid) { return "/proc/" + std::to_string(pid); }

// The number behind `field` in a status file of /proc.
std::uint64_t status_number(const std::string& path, std::string_view field) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(field)) return std::stoull(line.substr(field.size()));
  }
  throw std::runtime_error("no " + std::string(field) + " in " + path);
}

double kilobytes(pid_t pid, std::string_view field) {
  return 1024 * static_cast<double>(status_number(proc(pid) + "/status", field));
}

}  // namespace

MemoryWatch::MemoryWatch(std::vector<pid_t> pids) : pids_(std::move(pids)) {
  for (const pid_t pid : pids_) {
    std::ofstream file(proc(pid) + "/clear_refs");
    if (!(file << "5" << std::flush)) {
      throw std::runtime_error("cannot reset the memory peak of process " + std::to_string(pid));
    }
    before_ += kilobytes(pid, "VmRSS:");
  }
}

double MemoryWatch::extra_bytes() const {
  double peak = 0;
  for (const pid_t pid : pids_) peak += kilobytes(pid, "VmHWM:");
  return peak - before_;
}

double resident_bytes(pid_t pid) { return kilobytes(pid, "VmRSS:"); }

std::uint64_t context_switches(pid_t pid) {
  std::uint64_t sum = 0;
  for (const auto& thread : std::filesystem::directory_iterator(proc(pid) + "/task")) {
    const std::string status = thread.path().string() + "/status";
    sum += status_number(status, "voluntary_ctxt_switches:") +
           status_number(status, "nonvoluntary_ctxt_switches:");
  }
  return sum;
}

namespace {

// Of all its threads. A process that has just ended has used none.
double cpu_milliseconds(pid_t pid) {
  double nanoseconds = 0;
  std::error_code gone;
  for (const auto& thread : std::filesystem::directory_iterator(proc(pid) + "/task", gone)) {
    std::ifstream file(thread.path() / "schedstat");
    double used = 0;
    if (file >> used) nanoseconds += used;
  }
  return nanoseconds / 1e6;
}

}  // namespace

CpuTimes cpu_times(pid_t controller, pid_t runner) {
  CpuTimes times{.controller = cpu_milliseconds(controller), .runner = cpu_milliseconds(runner)};
  for (const pid_t pid : os::descendants(runner)) {
    std::ifstream file(proc(pid) + "/comm");
    std::string name;
    if (std::getline(file, name) && name.starts_with("talaria-"))
      times.tree += cpu_milliseconds(pid);
  }
  return times;
}

std::size_t count_processes(const std::string& command_line) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    if (std::isdigit(static_cast<unsigned char>(entry.path().filename().string()[0])) == 0)
      continue;
    std::ifstream file(entry.path() / "cmdline");
    std::ostringstream content;
    content << file.rdbuf();  // no exception if the process ends just now
    std::string text = content.str();
    if (text.ends_with('\0')) text.pop_back();
    std::ranges::replace(text, '\0', ' ');
    if (text == command_line) ++count;
  }
  return count;
}

}  // namespace talaria::bench
