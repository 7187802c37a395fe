#include "os/directory.h"

#include <dirent.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <string_view>

namespace talaria::os {

Result<std::string> make_fresh_directory(const std::string& prefix) {
  std::string pattern = prefix + std::to_string(::getuid()) + "-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) return fail(Error::from_errno("mkdtemp " + pattern));
  return pattern;
}

std::vector<std::string> names_in(const std::string& directory) {
  std::vector<std::string> names;
  DIR* const stream = ::opendir(directory.c_str());
  if (stream == nullptr) return names;
  while (const dirent* entry = ::readdir(stream)) {
    const std::string_view name(entry->d_name);
    if (name != "." && name != "..") names.emplace_back(name);
  }
  ::closedir(stream);
  return names;
}

Result<void> check_names(const std::string& directory) {
  DIR* const stream = ::opendir(directory.c_str());
  if (stream == nullptr && errno != ENOENT) {
    return fail(Error::from_errno("cannot read " + directory));
  }
  if (stream != nullptr) ::closedir(stream);
  return {};
}

bool is_plain_directory(const std::string& path) {
  struct stat info{};
  return ::lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

bool is_on_local_filesystem(const std::string& path) {
  constexpr std::array<unsigned long, 4> kShared{0x6969 /* nfs */, 0xff534d42 /* cifs */,
                                                 0xfe534d42 /* smb2 */, 0x0bd00bd0 /* lustre */};
  struct statfs info{};
  if (::statfs(path.c_str(), &info) != 0) return true;
  return std::ranges::find(kShared, static_cast<unsigned long>(info.f_type)) == kShared.end();
}

}  // namespace talaria::os
