#include "rendezvous/moved_place.h"

#include "os/file.h"
#include "rendezvous/runner_place.h"

namespace talaria {
namespace {

constexpr std::size_t kLongestPath = 4096;

std::string moved_from(const std::string& directory) { return directory + "/moved-from"; }

}  // namespace

std::string moved_place(const std::string& directory) {
  const auto to = read_file(RunnerPlace{directory}.moved_to(), kLongestPath);
  if (!to) return directory;
  const auto from = read_file(moved_from(*to), kLongestPath);
  return from && *from == directory ? *to : directory;
}

Result<void> note_move(const std::string& directory, const std::string& to) {
  if (const auto written = replace_file(moved_from(to), directory); !written) return written;
  return replace_file(RunnerPlace{directory}.moved_to(), to);
}

}  // namespace talaria
