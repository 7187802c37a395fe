#include "os/cgroup.h"

#include <linux/magic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>
#include <string_view>
#include <utility>

#include "os/directory.h"
#include "os/file.h"

namespace talaria::os {
namespace {

Result<void> write_control(const std::string& path, std::string_view value) {
  const auto file = open_file(path, O_WRONLY);
  if (!file) return fail(file.error());
  if (const auto written = write_all(file->get(), value); !written) {
    return fail(written.error().kind(), path + ": " + written.error().message());
  }
  return {};
}

// Some containers show a plain tmpfs at /sys/fs/cgroup, where mkdir works and means nothing.
bool is_cgroup2(const std::string& directory) {
  struct statfs info{};
  return ::statfs(directory.c_str(), &info) == 0 && info.f_type == CGROUP2_SUPER_MAGIC;
}

constexpr std::size_t kLargestList = 1u << 20;  // bytes: pids in one group

std::vector<std::string> groups_in(const std::string& directory) {
  std::vector<std::string> groups;
  for (const std::string& name : names_in(directory)) {
    std::string path = directory + "/" + name;
    if (is_plain_directory(path)) groups.push_back(std::move(path));
  }
  return groups;
}

// "0::/path" is the line of the version 2 hierarchy, "8:pids:/path" that of a controller of
// version 1.
std::optional<std::string> own_path(std::string_view controller = "") {
  std::istringstream lines(read_file("/proc/self/cgroup", 65536).value_or(""));
  const std::string wanted = ":" + std::string(controller) + ":";
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || line.compare(colon, wanted.size(), wanted) != 0) continue;
    if (controller.empty() && !line.starts_with("0:")) continue;
    return line.substr(colon + wanted.size());
  }
  return std::nullopt;
}

// Where the kernel may count our processes. A container sees its own group as the root of the
// hierarchy, while the paths are the host's.
std::vector<std::string> groups_that_count() {
  const std::string root = "/sys/fs/cgroup";
  std::vector<std::string> groups = {root, root + "/pids"};
  if (const auto path = own_path(); path && *path != "/") groups.push_back(root + *path);
  if (const auto path = own_path("pids"); path && *path != "/") {
    groups.push_back(root + "/pids" + *path);
  }
  return groups;
}

std::optional<std::uint64_t> number_in(const std::string& path) {
  const auto text = read_file(path, 64);
  std::uint64_t number = 0;
  if (!text) return std::nullopt;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;  // "max": none
}

}  // namespace

std::optional<std::uint64_t> process_limit() {
  std::optional<std::uint64_t> least;
  const auto consider = [&least](std::optional<std::uint64_t> limit) {
    if (limit) least = std::min(least.value_or(*limit), *limit);
  };
  for (const std::string& group : groups_that_count()) consider(number_in(group + "/pids.max"));
  rlimit limit{};
  if (::geteuid() != 0 && ::getrlimit(RLIMIT_NPROC, &limit) == 0 &&
      limit.rlim_cur != RLIM_INFINITY) {
    consider(limit.rlim_cur);
  }
  return least;
}

std::optional<std::uint64_t> processes_left() {
  std::optional<std::uint64_t> least;
  for (const std::string& group : groups_that_count()) {
    const auto most = number_in(group + "/pids.max");
    const auto now = number_in(group + "/pids.current");
    if (!most || !now) continue;
    const std::uint64_t left = *most - std::min(*most, *now);
    least = std::min(least.value_or(left), left);
  }
  return least;
}

OomKills::OomKills() {
  const std::string root = "/sys/fs/cgroup";
  const std::string own = own_path().value_or("/");
  for (const std::string& path : {root + own + "/memory.events", root + "/memory.events",
                                  root + "/memory/memory.oom_control"}) {
    auto file = open_file(path, O_RDONLY);
    if (!file) continue;
    events_ = std::move(*file);
    return;
  }
}

std::optional<std::uint64_t> OomKills::count() const {
  if (!events_) return std::nullopt;
  std::array<char, 4096> buffer;
  const ssize_t size = ::pread(events_.get(), buffer.data(), buffer.size(), 0);
  const std::string_view text(buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  constexpr std::string_view kLabel = "oom_kill ";
  const std::size_t at = text.find(kLabel);
  if (at == std::string_view::npos) return std::nullopt;
  std::uint64_t count = 0;
  const char* const begin = text.data() + at + kLabel.size();
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), count);
  return error == std::errc() ? std::optional(count) : std::nullopt;
}

std::optional<std::string> own_cgroup() {
  const auto path = own_path();
  if (!path) return std::nullopt;
  for (const char* mount : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}) {
    std::string directory = mount + (*path == "/" ? "" : *path);
    if (is_cgroup2(directory) && ::access(directory.c_str(), W_OK) == 0) return directory;
  }
  return std::nullopt;
}

Result<void> make_cgroup(const std::string& directory) {
  if (::mkdir(directory.c_str(), 0755) < 0) {
    return fail(Error::from_errno("mkdir " + directory));
  }
  return {};
}

Result<void> join_cgroup(const std::string& directory) {
  return write_control(directory + "/cgroup.procs", "0");
}

Result<void> kill_cgroup(const std::string& directory) {
  return write_control(directory + "/cgroup.kill", "1");
}

std::vector<pid_t> processes_in_cgroup(const std::string& directory) {
  std::vector<pid_t> processes;
  std::istringstream lines(read_file(directory + "/cgroup.procs", kLargestList).value_or(""));
  for (pid_t pid = 0; lines >> pid;) processes.push_back(pid);
  for (const std::string& group : groups_in(directory)) {
    const std::vector<pid_t> more = processes_in_cgroup(group);
    processes.insert(processes.end(), more.begin(), more.end());
  }
  return processes;
}

bool remove_cgroup(const std::string& directory) {
  if (::rmdir(directory.c_str()) == 0 || errno == ENOENT) return true;
  for (const std::string& group : groups_in(directory)) remove_cgroup(group);
  return ::rmdir(directory.c_str()) == 0 || errno == ENOENT;
}

}  // namespace talaria::os
