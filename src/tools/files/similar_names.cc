#include "tools/files/similar_names.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "tools/files/file_kinds.h"

namespace talaria::tool {
namespace {

std::string_view stem_of(std::string_view name) { return name.substr(0, name.rfind('.')); }

// Letters both have, each as often as in the one that has it less often.
std::size_t shared_letters(std::string_view a, std::string_view b) {
  std::array<std::size_t, 256> left{};
  for (const char c : b) ++left[static_cast<unsigned char>(c)];
  return static_cast<std::size_t>(std::ranges::count_if(a, [&](char c) {
    std::size_t& count = left[static_cast<unsigned char>(c)];
    if (count == 0) return false;
    --count;
    return true;
  }));
}

int score(std::string_view wanted, std::string_view name) {
  constexpr std::size_t kShort = 2;  // a name this short is in everything
  if (wanted == name) return 100;
  if (stem_of(wanted) == stem_of(name)) return 90;
  if (wanted.starts_with(name) || name.starts_with(wanted)) return 70;
  if (name.contains(wanted)) return 60;
  if (name.size() > kShort && wanted.contains(name)) return 40;
  const std::string extension = extension_of(wanted);
  if (!extension.empty() && extension == extension_of(name) &&
      shared_letters(wanted, name) * 10 >= std::max(wanted.size(), name.size()) * 4) {
    return 30;
  }
  return 0;
}

}  // namespace

std::vector<std::string> similar_names(std::string_view wanted,
                                       const std::vector<std::string>& names, std::size_t most) {
  std::vector<std::pair<int, std::string>> found;
  const std::string low = lower_case(wanted);
  for (const std::string& name : names) {
    const int points = low.empty() ? 0 : score(low, lower_case(name));
    if (points > 0) found.emplace_back(-points, name);
  }
  std::ranges::sort(found);
  if (found.size() > most) found.resize(most);
  std::vector<std::string> best;
  for (auto& [points, name] : found) best.push_back(std::move(name));
  return best;
}

std::vector<std::string> similar_directories(std::string_view wanted,
                                             const std::vector<std::string>& names,
                                             std::size_t most) {
  constexpr std::size_t kPrefix = 3;
  const std::string low = lower_case(wanted);
  std::vector<std::string> found;
  for (const std::string& name : names) {
    const std::string other = lower_case(name);
    const bool begins = low.size() >= kPrefix && other.starts_with(low.substr(0, kPrefix));
    if (low.empty() || (!other.contains(low) && !low.contains(other) && !begins)) continue;
    found.push_back(name);
    if (found.size() == most) break;
  }
  return found;
}

}  // namespace talaria::tool
