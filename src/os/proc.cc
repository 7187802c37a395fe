#include "os/proc.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "os/file.h"

namespace talaria::os {
namespace {

constexpr std::size_t kProcFileLimit = 1 << 20;

struct DirectoryCloser {
  void operator()(DIR* directory) const { ::closedir(directory); }
};
using Directory = std::unique_ptr<DIR, DirectoryCloser>;

template <class Visit>
bool for_each_number(const std::string& path, Visit visit) {
  const Directory directory(::opendir(path.c_str()));
  if (!directory) return false;
  while (const dirent* entry = ::readdir(directory.get())) {
    if (const auto number = parse_integer<pid_t>(entry->d_name)) visit(*number);
  }
  return true;
}

// The kernel writes a device's number in its own layout (new_encode_dev), as a signed one.
dev_t as_device(std::string_view word) {
  std::int64_t number = 0;
  std::from_chars(word.data(), word.data() + word.size(), number);
  const auto bits = static_cast<std::uint32_t>(number);
  return makedev(bits >> 8 & 0xfff, (bits & 0xff) | (bits >> 12 & 0xfff00));
}

// The children of one process, by the kernel's own list. False where the kernel has no such file.
bool append_children(pid_t pid, std::vector<pid_t>& children) {
  const std::string tasks = "/proc/" + std::to_string(pid) + "/task";
  bool supported = true;
  for_each_number(tasks, [&](pid_t task) {
    const auto list = read_file(tasks + "/" + std::to_string(task) + "/children", kProcFileLimit);
    if (!list) {
      // The task may simply have ended; without the feature no task has the file.
      if (pid == task && ::access(tasks.c_str(), F_OK) == 0) supported = false;
      return;
    }
    const char* at = list->data();
    const char* const end = at + list->size();
    while (at < end) {
      pid_t child = 0;
      const auto [next, error] = std::from_chars(at, end, child);
      if (error == std::errc{}) children.push_back(child);
      at = next + 1;
    }
  });
  return supported;
}

// Where the kernel keeps no lists of children: read every process and sort by parent.
std::vector<pid_t> descendants_by_scan(pid_t root) {
  std::multimap<pid_t, pid_t> by_parent;
  for_each_number("/proc", [&](pid_t pid) {
    if (const auto stat = read_process_stat(pid)) by_parent.emplace(stat->parent, pid);
  });
  std::vector<pid_t> found;
  const auto add_children = [&](pid_t parent) {
    const auto [first, last] = by_parent.equal_range(parent);
    for (auto child = first; child != last; ++child) found.push_back(child->second);
  };
  add_children(root);
  for (std::size_t i = 0; i < found.size(); ++i) add_children(found[i]);
  return found;
}

// What stands behind "KEY:\t"; empty if there is no such line.
std::string_view value_of(std::string_view status, std::string_view key) {
  for (std::size_t at = 0; at < status.size();) {
    const std::size_t end = std::min(status.find('\n', at), status.size());
    const std::string_view line = status.substr(at, end - at);
    if (line.starts_with(key) && line.substr(key.size()).starts_with(":\t")) {
      return line.substr(key.size() + 2);
    }
    at = end + 1;
  }
  return {};
}

template <class Number>
bool read_number(std::string_view text, Number& number, int base = 10) {
  return std::from_chars(text.data(), text.data() + text.size(), number, base).ec == std::errc{};
}

}  // namespace

Result<ProcessStat> read_process_stat(pid_t pid) {
  const std::string path = "/proc/" + std::to_string(pid) + "/stat";
  const auto file = open_file(path, O_RDONLY);
  if (!file) return fail(file.error());
  std::array<char, 2048> buffer;  // more than the line can have; one read gets all of it
  const ssize_t size = ::read(file->get(), buffer.data(), buffer.size());
  if (size < 0) return fail(Error::from_errno("read " + path));
  const std::string_view text(buffer.data(), static_cast<std::size_t>(size));

  // The name is in parentheses and may itself hold some: the last one closes it.
  const std::size_t open = text.find('(');
  const std::size_t close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    return fail(ErrorKind::system, path + ": not understood");
  }
  ProcessStat stat{.pid = pid, .name = std::string(text.substr(open + 1, close - open - 1))};
  std::string_view rest = text.substr(close + 1);
  for (int field = 3; !rest.empty(); ++field) {
    const std::size_t begin = rest.find_first_not_of(' ');
    if (begin == std::string_view::npos) break;
    rest.remove_prefix(begin);
    const std::string_view word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(word.size());
    if (field == 3) stat.state = word.front();
    if (field == 4) std::from_chars(word.data(), word.data() + word.size(), stat.parent);
    if (field == 5) std::from_chars(word.data(), word.data() + word.size(), stat.group);
    if (field == 6) std::from_chars(word.data(), word.data() + word.size(), stat.session);
    if (field == 7) stat.terminal = as_device(word);
    if (field == 22) std::from_chars(word.data(), word.data() + word.size(), stat.start_time);
    if (field == 48) std::from_chars(word.data(), word.data() + word.size(), stat.argument_start);
    if (field == 51) std::from_chars(word.data(), word.data() + word.size(), stat.environment_end);
    if (field == 52) std::from_chars(word.data(), word.data() + word.size(), stat.wait_status);
  }
  return stat;
}

std::vector<pid_t> descendants(pid_t root) {
  std::vector<pid_t> found;
  if (!append_children(root, found)) return descendants_by_scan(root);
  for (std::size_t i = 0; i < found.size(); ++i) append_children(found[i], found);
  return found;
}

std::vector<pid_t> ancestors(pid_t pid) {
  std::vector<pid_t> above;
  for (auto stat = read_process_stat(pid); stat && stat->parent > 0;
       stat = read_process_stat(stat->parent)) {
    above.push_back(stat->parent);
  }
  return above;
}

// A parent may end while we look at it. Its children then have another one, so we look again.
bool is_descendant(pid_t root, pid_t pid) {
  constexpr int kLooks = 3;
  for (int look = 0; look < kLooks; ++look) {
    const std::vector<pid_t> above = ancestors(pid);
    if (std::ranges::find(above, root) != above.end()) return true;
    if (!above.empty() && above.back() == 1) return false;
  }
  return false;
}

std::vector<ProcessStat> all_processes() {
  std::vector<ProcessStat> all;
  for_each_number("/proc", [&](pid_t pid) {
    if (auto stat = read_process_stat(pid)) all.push_back(std::move(*stat));
  });
  return all;
}

std::vector<pid_t> threads_of(pid_t pid) {
  std::vector<pid_t> threads;
  for_each_number("/proc/" + std::to_string(pid) + "/task",
                  [&](pid_t thread) { threads.push_back(thread); });
  return threads;
}

std::vector<pid_t> session_members(pid_t session) {
  std::vector<pid_t> members;
  for_each_number("/proc", [&](pid_t pid) {
    const auto stat = read_process_stat(pid);
    if (stat && (stat->session == session || stat->group == session)) members.push_back(pid);
  });
  return members;
}

bool runs_our_program(pid_t pid) {
  struct stat ours{};
  struct stat theirs{};
  const std::string path = "/proc/" + std::to_string(pid) + "/exe";
  return ::stat("/proc/self/exe", &ours) == 0 && ::stat(path.c_str(), &theirs) == 0 &&
         ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
}

std::string boot_id() {
  auto text = read_file("/proc/sys/kernel/random/boot_id", 4096);
  if (!text) return {};
  while (text->ends_with('\n')) text->pop_back();
  return *text;
}

Result<ProcessStatus> read_process_status(pid_t pid) {
  const auto text = read_file("/proc/" + std::to_string(pid) + "/status", kProcFileLimit);
  if (!text) return fail(text.error());
  ProcessStatus status{.name = std::string(value_of(*text, "Name"))};
  const std::string_view users = value_of(*text, "Uid");  // real, effective, saved, of files
  const std::size_t tab = users.find('\t');
  const bool whole = tab != std::string_view::npos &&
                     read_number(users.substr(tab + 1), status.effective_user) &&
                     read_number(value_of(*text, "PPid"), status.parent) &&
                     read_number(value_of(*text, "SigCgt"), status.caught, 16) &&
                     read_number(value_of(*text, "SigBlk"), status.blocked, 16);
  if (!whole) return fail(ErrorKind::system, "/proc says too little of " + std::to_string(pid));
  return status;
}

}  // namespace talaria::os
