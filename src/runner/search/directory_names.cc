#include "runner/search/directory_names.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace talaria::runner {

Result<std::vector<DirectoryName>> directory_names(int fd) {
  alignas(dirent64) thread_local std::array<char, 64 * 1024> buffer;
  std::vector<DirectoryName> names;
  for (;;) {
    const ssize_t size = ::getdents64(fd, buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return fail(Error::from_errno("read"));
    if (size == 0) return names;
    for (ssize_t at = 0; at < size;) {
      const auto* entry = reinterpret_cast<const dirent64*>(buffer.data() + at);
      at += entry->d_reclen;
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      unsigned char type = entry->d_type;
      if (type == DT_UNKNOWN) {
        struct stat info{};
        if (::fstatat(fd, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) < 0) continue;
        type = IFTODT(info.st_mode);
      }
      names.push_back({std::string(name), type == DT_DIR, type == DT_REG});
    }
  }
}

}  // namespace talaria::runner
