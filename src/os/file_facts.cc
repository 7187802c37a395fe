#include "os/file_facts.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>

namespace talaria::os {
namespace {

FileKind kind_of(mode_t mode) {
  if (S_ISREG(mode)) return FileKind::file;
  if (S_ISDIR(mode)) return FileKind::directory;
  return S_ISLNK(mode) ? FileKind::link : FileKind::other;
}

}  // namespace

FileFacts facts_of(const struct stat& info) {
  return {.kind = kind_of(info.st_mode),
          .size = static_cast<std::uint64_t>(info.st_size),
          .mtime_ns = std::int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec,
          .mode = info.st_mode & 07777u};
}

timespec to_timespec(std::int64_t ns) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const std::int64_t part = (ns % kSecond + kSecond) % kSecond;
  return {.tv_sec = (ns - part) / kSecond, .tv_nsec = part};
}

std::optional<FileFacts> file_facts(int directory, const std::string& name) {
  struct stat info{};
  if (::fstatat(directory, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) < 0) return std::nullopt;
  return facts_of(info);
}

std::string link_text(int directory, const std::string& name) {
  std::string text(PATH_MAX, '\0');
  const ssize_t size = ::readlinkat(directory, name.c_str(), text.data(), text.size());
  text.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  return text;
}

std::optional<FileFacts> file_facts(const std::string& path) { return file_facts(AT_FDCWD, path); }

std::optional<FileFacts> file_facts(int fd) {
  struct stat info{};
  if (::fstat(fd, &info) < 0) return std::nullopt;
  return facts_of(info);
}

std::optional<FileId> file_id(int fd) {
  struct stat info{};
  if (::fstat(fd, &info) < 0) return std::nullopt;
  return FileId{info.st_dev, info.st_ino};
}

std::optional<FileId> file_id(const std::string& path) {
  struct stat info{};
  if (::lstat(path.c_str(), &info) < 0) return std::nullopt;
  return FileId{info.st_dev, info.st_ino};
}

}  // namespace talaria::os
