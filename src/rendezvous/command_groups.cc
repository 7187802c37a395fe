#include "rendezvous/command_groups.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "base/hash.h"
#include "base/text.h"
#include "os/cgroup.h"
#include "os/directory.h"
#include "os/file.h"
#include "os/file_facts.h"
#include "os/proc.h"
#include "os/signal.h"

namespace talaria::rendezvous {
namespace {

constexpr auto kPause = std::chrono::milliseconds(5);
constexpr std::size_t kLargestIdentity = 8192;

// "talaria-MARK-": the path alone would be the same for a directory at another place's mount.
std::string mark_of(const RunnerPlace& place) {
  const auto directory = os::file_id(place.directory);
  if (!directory) return {};
  const std::string text = place.lock() + ":" + std::to_string(directory->device) + ":" +
                           std::to_string(directory->number);
  char mark[32];
  std::snprintf(mark, sizeof mark, "talaria-%016llx-",
                static_cast<unsigned long long>(hash_text(text)));
  return mark;
}

std::pair<std::string, std::string> split_path(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return {path.substr(0, slash), path.substr(slash + 1)};
}

// "talaria-MARK-PID-START-...": the runner.
std::optional<os::SameProcess> runner_of(std::string_view name) {
  std::vector<std::string_view> parts;
  while (parts.size() < 4 && !name.empty()) {
    parts.push_back(name.substr(0, name.find('-')));
    name.remove_prefix(std::min(name.size(), parts.back().size() + 1));
  }
  if (parts.size() < 4) return std::nullopt;
  const auto pid = parse_integer<pid_t>(parts[2]);
  const auto start = parse_integer<std::uint64_t>(parts[3]);
  if (!pid || !start) return std::nullopt;
  return os::SameProcess{*pid, *start};
}

// The group below which the last runner here made those of its commands: the fourth line.
std::string recorded_parent(const RunnerPlace& place) {
  const auto identity = os::read_file(place.identity(), kLargestIdentity);
  if (!identity) return {};
  std::size_t begin = 0;
  for (int line = 0; line < 3; ++line) {
    begin = identity->find('\n', begin);
    if (begin == std::string::npos) return {};
    ++begin;
  }
  return identity->substr(begin, identity->find('\n', begin) - begin);
}

void add_stale(std::vector<CommandGroup>& found, const std::string& parent,
               const std::string& beginning) {
  for (const std::string& name : os::names_in(parent)) {
    if (!name.starts_with(beginning)) continue;
    const auto runner = runner_of(name);
    if (!runner || os::is_running(*runner)) continue;
    const std::string path = parent + "/" + name;
    found.push_back({path, os::processes_in_cgroup(path)});
  }
}

bool end_group(const CommandGroup& group) {
  if (!os::kill_cgroup(group.path)) {
    for (const pid_t pid : group.processes) ::kill(pid, SIGKILL);
  }
  return os::remove_cgroup(group.path);
}

// What `find` finds, until it finds nothing that cannot be ended.
template <class Find>
bool end_all(const Find& find, std::chrono::milliseconds patience) {
  const auto give_up_at = std::chrono::steady_clock::now() + patience;
  for (;;) {
    const std::vector<CommandGroup> groups = find();
    const auto left =
        std::ranges::count_if(groups, [](const auto& one) { return !end_group(one); });
    if (left == 0) return true;
    if (std::chrono::steady_clock::now() >= give_up_at) return false;
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace

std::string group_stem(const RunnerPlace& place, const std::string& parent) {
  const std::string mark = mark_of(place);
  const auto self = os::read_process_stat(::getpid());
  if (mark.empty() || !self) return {};
  return parent + "/" + mark + std::to_string(self->pid) + "-" + std::to_string(self->start_time) +
         "-";
}

std::vector<CommandGroup> stale_groups(const RunnerPlace& place) {
  std::vector<CommandGroup> found;
  const std::string mark = mark_of(place);
  if (mark.empty()) return found;
  const std::string recorded = recorded_parent(place);
  const std::string own = os::own_cgroup().value_or("");
  if (!recorded.empty()) add_stale(found, recorded, mark);
  if (!own.empty() && own != recorded) add_stale(found, own, mark);
  return found;
}

bool end_stale_groups(const RunnerPlace& place, std::chrono::milliseconds patience) {
  return end_all([&] { return stale_groups(place); }, patience);
}

bool end_groups_of(const std::string& stem, std::chrono::milliseconds patience) {
  const auto [parent, beginning] = split_path(stem);
  const auto runner = runner_of(beginning);
  const auto give_up_at = std::chrono::steady_clock::now() + patience;
  while (runner && os::is_running(*runner)) {
    if (std::chrono::steady_clock::now() >= give_up_at) return false;
    std::this_thread::sleep_for(kPause);
  }
  return end_all(
      [&] {
        std::vector<CommandGroup> found;
        add_stale(found, parent, beginning);
        return found;
      },
      patience);
}

}  // namespace talaria::rendezvous
