#include "environment/modal/sandbox_name.h"

#include "base/sha256.h"
#include "environment/task_name.h"

namespace talaria::environment::modal {
namespace {

constexpr std::size_t kShownOfTask = 43;
constexpr std::size_t kDigits = 12;

}  // namespace

std::string sandbox_name(const std::string& task, const std::string& mark) {
  std::string name = "hermes-";
  for (const char c : task.substr(0, kShownOfTask)) name += is_name_character(c) ? c : '_';
  return name + "-" + sha256_hex(mark + "\n" + task).substr(0, kDigits);
}

}  // namespace talaria::environment::modal
