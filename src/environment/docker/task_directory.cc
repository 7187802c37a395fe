#include "environment/docker/task_directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "base/sha256.h"
#include "os/file.h"

namespace talaria::environment::docker {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kRunnerDigits = 8;

// Names in one directory.
Result<void> hand_over(int directory, const std::string& pool, const std::string& task) {
  struct stat seen{};
  const bool there = ::fstatat(directory, pool.c_str(), &seen, AT_SYMLINK_NOFOLLOW) == 0;
  if (there && S_ISLNK(seen.st_mode)) return {};
  if (there &&
      ::renameat2(directory, pool.c_str(), directory, task.c_str(), RENAME_NOREPLACE) < 0) {
    return fail(Error::from_errno("rename " + pool + " to " + task));
  }
  // A program may have been killed before it made the link.
  if (::fstatat(directory, task.c_str(), &seen, AT_SYMLINK_NOFOLLOW) < 0) {
    return fail(Error::from_errno("stat " + task));
  }
  if (::symlinkat(task.c_str(), directory, pool.c_str()) < 0) {
    return fail(Error::from_errno("symlink " + pool));
  }
  return {};
}

}  // namespace

std::string pool_directory_prefix(const std::string& target) { return "pool@" + target + "-"; }

std::string pool_directory(const std::string& sandbox_dir, const std::string& target,
                           const std::string& container) {
  return sandbox_dir + "/docker/" + pool_directory_prefix(target) + container;
}

std::string directory_of(const EnvironmentSpec& spec, const std::string& container) {
  if (spec.pool.empty()) return task_directory(spec.sandbox_dir, spec.task);
  return pool_directory(spec.sandbox_dir, spec.target, container);
}

std::string runner_of(const EnvironmentSpec& spec, const std::string& container) {
  return (spec.pool.empty() ? runners_of_task(spec) : std::string(kPoolRunners)) +
         container.substr(container.rfind('-') + 1);
}

std::string runners_of_task(const EnvironmentSpec& spec) {
  const std::string task = sha256_hex(spec.profile + "\n" + spec.task);
  return "run-" + task.substr(0, kRunnerDigits) + "-";
}

Result<void> hand_over_directory(const std::string& pool, const std::string& task) {
  const fs::path path(task);
  const auto parent = os::open_file(path.parent_path().string(), O_RDONLY | O_DIRECTORY);
  if (!parent) return fail(parent.error());
  return hand_over(parent->get(), fs::path(pool).filename().string(), path.filename().string());
}

// No link in the home is followed: it belongs to the container.
Result<void> hand_over_runner(const std::string& home, const std::string& pool,
                              const std::string& task) {
  const auto runners = os::open_file(home + "/.talaria", O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!runners) return fail(runners.error());
  return hand_over(runners->get(), pool, task);
}

void remove_pool_directory(const std::string& path) {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

void remove_pool_directory(const EnvironmentSpec& spec, const std::string& container) {
  remove_pool_directory(pool_directory(spec.sandbox_dir, spec.target, container));
}

}  // namespace talaria::environment::docker
