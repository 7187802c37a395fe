#include "rendezvous/moved_place.h"

#include "os/directory.h"
#include "os/file.h"
#include "rendezvous/runner_place.h"

namespace talaria::rendezvous {
namespace {

constexpr std::size_t kLongestPath = 4096;

std::string moved_from(const std::string& directory) { return directory + "/moved-from"; }

}  // namespace

std::string moved_place(const std::string& directory) {
  const auto to = os::read_file(RunnerPlace{directory}.moved_to(), kLongestPath);
  if (!to) return directory;
  const auto from = os::read_file(moved_from(*to), kLongestPath);
  return from && *from == directory ? *to : directory;
}

Result<void> note_move(const std::string& directory, const std::string& to) {
  if (const auto written = os::replace_file(moved_from(to), directory); !written) return written;
  return os::replace_file(RunnerPlace{directory}.moved_to(), to);
}

Result<std::string> socket_directory(const std::string& wanted, std::size_t longest) {
  if (const auto made = os::make_private_directory(wanted); !made) return fail(made.error());
  if (wanted.size() <= longest && os::is_on_local_filesystem(wanted)) return wanted;

  if (std::string moved = moved_place(wanted);
      moved != wanted && os::make_private_directory(moved)) {
    return moved;
  }
  auto fresh = os::make_fresh_directory("/var/tmp/talaria-");
  if (!fresh) return fresh;
  if (const auto noted = note_move(wanted, *fresh); !noted) return fail(noted.error());
  return fresh;
}

}  // namespace talaria::rendezvous
