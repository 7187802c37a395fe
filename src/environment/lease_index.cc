#include "environment/lease_index.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <utility>

#include "base/sha256.h"
#include "os/directory.h"
#include "os/file.h"

namespace talaria::environment {
namespace {

constexpr std::size_t kGroupDigits = 24;
constexpr const char* kComplete = "complete";
constexpr int kAttempts = 100;
constexpr auto kOld = std::chrono::hours(1);  // no program takes so long to write a lease

std::string task_group(std::string_view task) {
  return "task-" + sha256_hex(task).substr(0, kGroupDigits);
}

std::string pool_group(std::string_view pool) {
  return "pool-" + sha256_hex(pool).substr(0, kGroupDigits);
}

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

bool is_old(const std::string& path) {
  struct stat seen{};
  if (::lstat(path.c_str(), &seen) < 0) return false;
  return std::chrono::system_clock::now() - std::chrono::system_clock::from_time_t(seen.st_mtime) >=
         kOld;
}

}  // namespace

std::string LeaseIndex::group_of(const LeaseFacts& facts) const {
  if (!facts.task.empty()) return path() + "/" + task_group(facts.task);
  return facts.pool.empty() ? std::string() : path() + "/" + pool_group(facts.pool);
}

Result<void> LeaseIndex::add(const LeaseFacts& facts, const std::string& name) const {
  const std::string group = group_of(facts);
  if (group.empty()) return {};
  if (const auto made = os::make_private_directory(path()); !made) return made;
  for (int attempt = 0;; ++attempt) {
    if (const auto made = os::make_private_directory(group); !made) return made;
    const auto file = os::open_file(group + "/" + name, O_WRONLY | O_CREAT, 0600);
    if (file) return {};
    // The last one of the group was removed just now, and the directory with it.
    if (file.error().code() != ENOENT || attempt == kAttempts) return fail(file.error());
  }
}

void LeaseIndex::remove(const LeaseFacts& facts, const std::string& name) const {
  const std::string group = group_of(facts);
  if (group.empty()) return;
  os::remove_file(group + "/" + name);
  ::rmdir(group.c_str());  // if it was the last
}

std::vector<std::string> LeaseIndex::of_task(std::string_view task) const {
  return os::names_in(path() + "/" + task_group(task));
}

std::vector<std::string> LeaseIndex::of_pool(std::string_view pool) const {
  return os::names_in(path() + "/" + pool_group(pool));
}

void LeaseIndex::complete(const ReadAll& read) const {
  if (exists(path() + "/" + kComplete) || !exists(directory_)) return;
  for (const auto& [name, facts] : read()) {
    if (!add(facts, name)) return;
  }
  if (!os::make_private_directory(path())) return;
  (void)os::open_file(path() + "/" + kComplete, O_WRONLY | O_CREAT, 0600);
}

void LeaseIndex::clean() const {
  for (const std::string& group : os::names_in(path())) {
    if (group == kComplete) continue;
    const std::string directory = path() + "/" + group;
    for (const std::string& name : os::names_in(directory)) {
      const std::string file = directory + "/" + name;
      if (!exists(directory_ + "/" + name) && is_old(file)) os::remove_file(file);
    }
    ::rmdir(directory.c_str());
  }
}

}  // namespace talaria::environment
