#include "environment/modal/sandbox_name.h"

#include <sys/file.h>

#include <cerrno>

#include "base/sha256.h"
#include "base/text.h"
#include "environment/task_name.h"
#include "os/file.h"
#include "os/random.h"

namespace talaria::environment::modal {
namespace {

constexpr std::size_t kShownOfTask = 43;
constexpr std::size_t kDigits = 12;
constexpr std::size_t kMarkBytes = 8;
constexpr std::size_t kMaxNameFile = 4096;

}  // namespace

std::string sandbox_name(const std::string& task, const std::string& mark) {
  std::string name = "hermes-";
  for (const char c : task.substr(0, kShownOfTask)) name += is_name_character(c) ? c : '_';
  return name + "-" + sha256_hex(mark + "\n" + task).substr(0, kDigits);
}

std::string home_mark(const std::string& home) {
  const std::string path = home + "/talaria/modal_mark";
  if (!os::make_private_directory(home + "/talaria")) return {};
  // The first program that has the lock writes it; the others wait.
  const auto file = os::open_file(path, O_RDWR | O_CREAT, 0600);
  if (!file) return {};
  while (::flock(file->get(), LOCK_EX) < 0) {
    if (errno != EINTR) return {};
  }
  const std::string known(trim(os::read_whole(file->get(), kMaxNameFile).value_or("")));
  if (!known.empty()) return known;
  const std::string mark = os::random_hex(kMarkBytes);
  return os::write_all(file->get(), mark + "\n") ? mark : "";
}

}  // namespace talaria::environment::modal
