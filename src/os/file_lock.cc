#include "os/file_lock.h"

#include <sys/file.h>

#include "os/file.h"
#include "os/file_facts.h"

namespace talaria::os {

Result<std::optional<UniqueFd>> try_lock_file(const std::string& path) {
  for (;;) {
    auto file = open_file(path, O_RDWR | O_CREAT, 0600);
    if (!file) return fail(file.error());
    if (::flock(file->get(), LOCK_EX | LOCK_NB) < 0) {
      if (errno == EINTR) continue;
      if (errno == EWOULDBLOCK) return std::nullopt;
      return fail(Error::from_errno("flock " + path));
    }
    // Removed since we opened it: the lock of a file without a name keeps nobody out.
    if (!is_file_at(file->get(), path)) continue;
    if (::ftruncate(file->get(), 0) == 0) {
      (void)write_all(file->get(), std::to_string(::getpid()) + "\n");
    }
    return std::optional(std::move(*file));
  }
}

Result<std::optional<UniqueFd>> try_share_file(const std::string& path) {
  for (;;) {
    auto file = open_file(path, O_RDWR | O_CREAT, 0600);
    if (!file) return fail(file.error());
    if (::flock(file->get(), LOCK_SH | LOCK_NB) < 0) {
      if (errno == EINTR) continue;
      if (errno == EWOULDBLOCK) return std::nullopt;
      return fail(Error::from_errno("flock " + path));
    }
    if (is_file_at(file->get(), path)) return std::optional(std::move(*file));
  }
}

bool is_locked(const std::string& path) {
  const auto file = open_file(path, O_RDONLY);
  return file && ::flock(file->get(), LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
}

bool is_file_at(int lock, const std::string& path) {
  const auto ours = file_id(lock);
  return ours && file_id(path) == ours;
}

std::string describe_lock(const std::string& path) {
  const auto text = read_file(path, 64);
  const std::string pid = text ? text->substr(0, text->find('\n')) : "";
  return "pid " + (pid.empty() ? "unknown" : pid);
}

}  // namespace talaria::os
