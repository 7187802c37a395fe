#include "os/file_watch.h"

#include <sys/inotify.h>

namespace talaria::os {

Result<UniqueFd> watch_files(std::initializer_list<std::string> paths) {
  UniqueFd watch(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!watch) return fail(Error::from_errno("inotify_init1"));
  for (const std::string& path : paths) {
    // A file that is still open is not deleted when its name is: that shows in its link count.
    constexpr std::uint32_t kEvents = IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF | IN_DONT_FOLLOW;
    if (::inotify_add_watch(watch.get(), path.c_str(), kEvents) < 0) {
      return fail(Error::from_errno("inotify_add_watch " + path));
    }
  }
  return watch;
}

}  // namespace talaria::os
