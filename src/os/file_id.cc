#include "os/file_id.h"

#include <sys/stat.h>

namespace talaria::os {

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
