#include "policy/audit/audit_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

#include "base/wall_time.h"
#include "json/json_text.h"
#include "os/file.h"
#include "os/file_lock.h"

namespace talaria::policy {
namespace {

namespace fs = std::filesystem;

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

std::string audit_directory(const std::string& home) { return home + "/talaria/audit"; }
std::string audit_file(const std::string& home) { return audit_directory(home) + "/audit.jsonl"; }

std::string audit_time(std::int64_t milliseconds) {
  return utc_time_ms(
      std::chrono::system_clock::time_point(std::chrono::milliseconds(milliseconds)));
}

Result<void> AuditLog::write(const json::object& line) {
  if (!enabled()) return {};
  std::string text = to_line(line) + "\n";
  text.replace(0, 1, "{\"time\":\"" + audit_time(now_ms()) + "\",");
  const Result<void> written = append(text);
  const bool reported = std::exchange(has_failed_, !written);
  return written || reported ? Result<void>() : written;
}

Result<void> AuditLog::open() {
  const std::string path = audit_file(home_);
  struct stat there{};
  const bool is_there = file_ && ::lstat(path.c_str(), &there) == 0;
  if (is_there && os::FileId{there.st_dev, there.st_ino} == id_) {
    size_ = static_cast<std::uint64_t>(there.st_size);
    return {};
  }
  if (const auto made = os::make_private_directory(audit_directory(home_)); !made) return made;
  auto opened = os::open_file(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0600);
  if (!opened) return fail(opened.error());
  file_ = std::move(*opened);
  struct stat made{};
  if (::fstat(file_.get(), &made) != 0) return fail(Error::from_errno("fstat " + path));
  id_ = {made.st_dev, made.st_ino};
  size_ = static_cast<std::uint64_t>(made.st_size);
  return {};
}

// One write and no other: what of it did not fit (a full disk) is lost, but the lines of others
// stay whole, and so does the next one.
Result<void> AuditLog::append(std::string_view line) {
  if (const auto there = open(); !there) return there;
  const ssize_t size = ::write(file_.get(), line.data(), line.size());
  if (size < 0) return fail(Error::from_errno("write " + audit_file(home_)));
  if (static_cast<std::size_t>(size) < line.size()) {
    (void)::write(file_.get(), "\n", 1);
    return fail(Error::from_errno("write " + audit_file(home_), ENOSPC));
  }
  size_ += line.size();
  rotate_if_full();
  return {};
}

// By one program at a time. Another one may still write its last line to the file that was moved
// away: there it is treated like the others.
void AuditLog::rotate_if_full() {
  if (size_ < config_.max_bytes) return;
  const auto lock = os::try_lock_file(audit_directory(home_) + "/rotate.lock");
  if (!lock || !*lock || !os::is_file_at(file_.get(), audit_file(home_))) return;
  std::string name = "audit-" + audit_time(now_ms()) + ".jsonl";
  std::ranges::replace(name, ':', '-');
  const std::string moved = audit_directory(home_) + "/" + name;
  // A clock that went back must not cost a file.
  if (fs::exists(moved) || ::rename(audit_file(home_).c_str(), moved.c_str()) != 0) return;
  file_.reset();
  prune();
}

void AuditLog::prune() const {
  std::vector<std::string> full;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(audit_directory(home_), error)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("audit-") && name.ends_with(".jsonl")) full.push_back(entry.path());
  }
  std::ranges::sort(full);
  const std::size_t surplus = full.size() > config_.keep ? full.size() - config_.keep : 0;
  for (std::size_t at = 0; at < surplus; ++at) os::remove_file(full[at]);
}

}  // namespace talaria::policy
