#include "environment/home_mark.h"

#include <sys/file.h>

#include <cerrno>

#include "base/text.h"
#include "os/file.h"
#include "os/random.h"

namespace talaria::environment {
namespace {

constexpr std::size_t kMarkBytes = 8;
constexpr std::size_t kMaxMarkFile = 4096;

}  // namespace

std::string home_mark(const std::string& home) {
  // At first only sandboxes at Modal had it.
  const std::string path = home + "/talaria/modal_mark";
  if (!os::make_private_directory(home + "/talaria")) return {};
  // The first program that has the lock writes it; the others wait.
  const auto file = os::open_file(path, O_RDWR | O_CREAT, 0600);
  if (!file) return {};
  while (::flock(file->get(), LOCK_EX) < 0) {
    if (errno != EINTR) return {};
  }
  std::string known(trim(os::read_whole(file->get(), kMaxMarkFile).value_or("")));
  if (!known.empty()) return known;
  std::string mark = os::random_hex(kMarkBytes);
  return os::write_all(file->get(), mark + "\n") ? mark : "";
}

}  // namespace talaria::environment
