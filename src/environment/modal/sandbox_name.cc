#include "environment/modal/sandbox_name.h"

#include "base/sha256.h"
#include "base/text.h"
#include "os/file.h"
#include "os/random.h"

namespace talaria {
namespace {

constexpr std::size_t kShownOfTask = 43;
constexpr std::size_t kDigits = 12;
constexpr std::size_t kMarkBytes = 8;
constexpr std::size_t kMaxFile = 4096;

bool is_allowed(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.';
}

}  // namespace

std::string sandbox_name(const std::string& task, const std::string& mark) {
  std::string name = "hermes-";
  for (const char c : task.substr(0, kShownOfTask)) name += is_allowed(c) ? c : '_';
  return name + "-" + sha256_hex(mark + "\n" + task).substr(0, kDigits);
}

std::string home_mark(const std::string& home) {
  const std::string path = home + "/talaria/modal_mark";
  if (const auto known = read_file(path, kMaxFile); known && !trim(*known).empty()) {
    return std::string(trim(*known));
  }
  if (!make_private_directory(home + "/talaria")) return {};
  if (!replace_file(path, random_hex(kMarkBytes) + "\n")) return {};
  return std::string(trim(read_file(path, kMaxFile).value_or("")));  // somebody else's may be there
}

}  // namespace talaria
