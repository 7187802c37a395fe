#include "environment/task_name.h"

#include <algorithm>

#include "base/sha256.h"

namespace talaria::environment {
namespace {

constexpr std::size_t kShownOfTask = 64;
constexpr std::size_t kDigestShown = 16;

}  // namespace

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '-';
}

std::string task_name(std::string_view task) {
  const bool is_name = !task.empty() && task.size() <= kShownOfTask && task != "." && task != "..";
  if (is_name && std::ranges::all_of(task, is_name_character)) return std::string(task);
  std::string shown(task.substr(0, kShownOfTask));
  std::ranges::replace_if(shown, [](char c) { return !is_name_character(c); }, '_');
  // No ordinary id has an @.
  return shown + "@" + sha256_hex(task).substr(0, kDigestShown);
}

}  // namespace talaria::environment
