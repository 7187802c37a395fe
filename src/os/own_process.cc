#include "os/own_process.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/single_threaded.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <string_view>

#include "os/file.h"

namespace talaria::os {

void ignore_signals(std::initializer_list<int> signals) {
  for (const int number : signals) ::signal(number, SIG_IGN);
}

void become_subreaper(const char* name) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::prctl(PR_SET_NAME, name);
}

void leave_directory() { (void)!::chdir("/"); }

void append_errors_to(const std::string& path) {
  const auto file = open_file(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (file) ::dup2(file->get(), STDERR_FILENO);
}

std::optional<std::uint32_t> own_umask() {
  if (__libc_single_threaded) {  // quicker, but others would see it change
    const mode_t mask = ::umask(0);
    ::umask(mask);
    return mask;
  }
  const auto status = read_file("/proc/self/status", 65536);
  if (!status) return std::nullopt;
  constexpr std::string_view kLabel = "\nUmask:\t";
  const std::size_t at = status->find(kLabel);
  if (at == std::string::npos) return std::nullopt;
  const char* const digits = status->data() + at + kLabel.size();
  std::uint32_t mask = 0;
  const auto [end, error] = std::from_chars(digits, status->data() + status->size(), mask, 8);
  if (error != std::errc()) return std::nullopt;
  return mask;
}

void offer_memory(int score) {
  constexpr const char* kScore = "/proc/self/oom_score_adj";
  const auto now = read_file(kScore, 64);
  if (!now || std::atoi(now->c_str()) >= score) return;
  const auto file = open_file(kScore, O_WRONLY);
  if (file) (void)write_all(file->get(), std::to_string(score));
}

std::uint64_t descriptor_limit() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_max : 0;
}

void mark_descendants() {
  constexpr rlim_t kAges = rlim_t{1} << 62;  // microseconds
  rlimit limit{};
  if (::getrlimit(RLIMIT_RTTIME, &limit) != 0) return;
  limit.rlim_max = std::min(limit.rlim_max, kAges);
  limit.rlim_cur = std::min(limit.rlim_cur, limit.rlim_max);
  ::setrlimit(RLIMIT_RTTIME, &limit);
}

bool is_marked(pid_t pid) {
  rlimit limit{};
  return ::prlimit(pid, RLIMIT_RTTIME, nullptr, &limit) == 0 && limit.rlim_max != RLIM_INFINITY;
}

std::uint64_t raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  const std::uint64_t before = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  return before;
}

}  // namespace talaria::os
