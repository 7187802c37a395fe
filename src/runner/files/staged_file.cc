#include "runner/files/staged_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <ranges>

#include "base/text.h"
#include "os/file.h"
#include "os/part_name.h"
#include "runner/limits.h"

namespace talaria::runner {
namespace {

// Rights that belong to the old content do not pass to the new one.
bool is_for_content(std::string_view attribute) {
  return attribute == "security.capability" || attribute == "security.ima" ||
         attribute == "security.evm";
}

// Access lists and extended attributes of a file. An attribute that cannot be read is left out.
void copy_attributes(const FilePlace& from, int to) {
  const std::string path =
      "/proc/self/fd/" + std::to_string(from.at.directory.get()) + "/" + from.at.name;
  std::string names(kMaxAttributeBytes, '\0');
  const ssize_t size = ::llistxattr(path.c_str(), names.data(), names.size());
  if (size <= 0) return;
  names.resize(static_cast<std::size_t>(size));
  std::string value(kMaxAttributeBytes, '\0');
  for (std::size_t at = 0; at < names.size();) {
    const std::string name = names.c_str() + at;
    at += name.size() + 1;
    if (is_for_content(name)) continue;
    const ssize_t length = ::lgetxattr(path.c_str(), name.c_str(), value.data(), value.size());
    if (length < 0) continue;
    (void)::fsetxattr(to, name.c_str(), value.data(), static_cast<std::size_t>(length), 0);
  }
}

}  // namespace

std::string hidden_name() { return os::part_name(); }

Result<void> open_staged(StagedFile& staged) {
  const int directory = staged.place.at.directory.get();
  // A file without a name gets one by way of /proc, which may be missing.
  if (::access("/proc/self/fd", X_OK) == 0) {
    auto file = os::open_file_at(directory, ".", O_TMPFILE | O_WRONLY, 0600);
    if (file) {
      staged.file = std::move(*file);
      return {};
    }
  }
  staged.hidden = hidden_name();
  auto file = os::open_file_at(directory, staged.hidden, O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (!file) {
    staged.hidden.clear();
    return fail(file_error(staged.place.path, file.error().code()));
  }
  staged.file = std::move(*file);
  return {};
}

Result<void> append(StagedFile& staged, std::string_view bytes, bool durable) {
  const auto written = os::write_all(staged.file.get(), bytes);
  if (!written) return fail(file_error(staged.place.path, written.error().code()));
  if (durable) {  // begun now, so that the end need not wait for all of it
    ::sync_file_range(staged.file.get(), static_cast<off_t>(staged.size),
                      static_cast<off_t>(bytes.size()), SYNC_FILE_RANGE_WRITE);
  }
  staged.size += bytes.size();
  return {};
}

Result<void> give_hidden_name(StagedFile& staged) {
  if (!staged.hidden.empty()) return {};
  const std::string name = hidden_name();
  const std::string handle = "/proc/self/fd/" + std::to_string(staged.file.get());
  if (::linkat(AT_FDCWD, handle.c_str(), staged.place.at.directory.get(), name.c_str(),
               AT_SYMLINK_FOLLOW) < 0) {
    return fail(file_error(staged.place.path, errno));
  }
  staged.hidden = name;
  return {};
}

void discard(const StagedFile& staged) {
  if (!staged.hidden.empty()) {
    ::unlinkat(staged.place.at.directory.get(), staged.hidden.c_str(), 0);
  }
  for (const std::string& made : staged.made_directories | std::views::reverse) {
    ::rmdir(made.c_str());  // if it is in use by now, it stays
  }
}

Result<void> dress(const StagedFile& staged, const Dress& how) {
  const int file = staged.file.get();
  mode_t mode = how.mode.value_or(0644) & 07777;
  struct stat old{};
  const bool replaces = how.like != nullptr &&
                        ::fstatat(how.like->at.directory.get(), how.like->at.name.c_str(), &old,
                                  AT_SYMLINK_NOFOLLOW) == 0 &&
                        S_ISREG(old.st_mode);
  const bool keeps = replaces && !how.mode;
  if (keeps) {
    mode = old.st_mode & 07777;
    const bool other = old.st_uid != ::geteuid() || old.st_gid != ::getegid();
    if (other && ::fchown(file, old.st_uid, old.st_gid) < 0) mode &= 01777;  // no longer theirs
  }
  if (::fchmod(file, mode) < 0) return fail(file_error(staged.place.path, errno));
  if (keeps) copy_attributes(*how.like, file);  // an access list says more than the mode
  if (how.mtime_ns != 0) {
    const timespec times[2] = {os::to_timespec(how.mtime_ns), os::to_timespec(how.mtime_ns)};
    if (::futimens(file, times) < 0) return fail(file_error(staged.place.path, errno));
  }
  return {};
}

Result<void> check_expected(const FilePlace& place, const std::optional<std::string>& expected) {
  if (!expected) return {};
  const auto facts = os::file_facts(place.at.directory.get(), place.at.name);
  const std::string shown = sanitize_utf8(place.path);
  if (expected->empty()) {
    if (!facts) return {};
    return fail(ErrorKind::denied, shown + ": the file exists now; it was not replaced");
  }
  if (facts && facts->size > kMaxDigestBytes) {
    return fail(ErrorKind::limit, shown + ": too large to be compared first");
  }
  const auto file = open_to_read(place);
  const auto digest = file ? os::digest_of(file->get()) : Result<std::string>(fail(file.error()));
  if (!digest) return fail(digest.error());
  if (*digest == *expected) return {};
  return fail(ErrorKind::denied, shown + ": the file has changed; it was not replaced");
}

Result<void> check_replaceable(const FilePlace& place) {
  const auto facts = os::file_facts(place.at.directory.get(), place.at.name);
  if (!facts || facts->kind == os::FileKind::file || facts->kind == os::FileKind::link) return {};
  const bool directory = facts->kind == os::FileKind::directory;
  return fail(ErrorKind::bad_request,
              sanitize_utf8(place.path) +
                  (directory ? " is a directory" : " is a device, pipe or socket") +
                  "; it was not replaced");
}

}  // namespace talaria::runner
