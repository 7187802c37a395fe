#include "policy/redact/mask.h"

#include <cstddef>

#include "base/text.h"

namespace talaria::policy {
namespace {

constexpr std::size_t kShortest = 18;  // of which parts may be shown
constexpr std::size_t kFirst = 6;
constexpr std::size_t kLast = 4;

}  // namespace

std::string mask(std::string_view secret) {
  if (count_chars(secret) < kShortest) return "***";
  return std::string(first_chars(secret, kFirst)) + "..." + std::string(last_chars(secret, kLast));
}

}  // namespace talaria::policy
