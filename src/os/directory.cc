#include "os/directory.h"

#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace talaria {

Result<std::string> make_fresh_directory(const std::string& prefix) {
  std::string pattern = prefix + std::to_string(::getuid()) + "-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) return fail(Error::from_errno("mkdtemp " + pattern));
  return pattern;
}

bool is_on_local_filesystem(const std::string& path) {
  constexpr std::array<unsigned long, 4> kShared{0x6969 /* nfs */, 0xff534d42 /* cifs */,
                                                 0xfe534d42 /* smb2 */, 0x0bd00bd0 /* lustre */};
  struct statfs info{};
  if (::statfs(path.c_str(), &info) != 0) return true;
  return std::ranges::find(kShared, static_cast<unsigned long>(info.f_type)) == kShared.end();
}

}  // namespace talaria
