#include <cstddef>
#include <string_view>

#include "policy/redact/rows.h"

namespace talaria::policy {
namespace {

constexpr std::size_t kFewestDigits = 7;
constexpr std::size_t kMostDigits = 15;
constexpr std::size_t kShort = 8;  // with the +

// How long the number at `text` is, the + included; 0 if it is none.
std::size_t number_at(std::string_view text) {
  if (text.size() < 2 || text[1] < '1' || text[1] > '9') return 0;
  std::size_t end = 1;
  while (end < text.size() && end <= kMostDigits + 1 && is_digit(text[end])) ++end;
  const std::size_t digits = end - 1;
  if (digits < kFewestDigits || digits > kMostDigits) return 0;
  return end < text.size() && is_alphanumeric(text[end]) ? 0 : end;
}

}  // namespace

void mask_phone_numbers(RewrittenText& whole) {
  const std::string_view text = whole.text;
  Rewrite rewrite(whole);
  for (std::size_t at = text.find('+'); at != std::string::npos; at = text.find('+', at + 1)) {
    const std::size_t size = number_at(text.substr(at));
    if (size == 0) continue;
    const std::size_t shown = size <= kShort ? 2 : 4;
    rewrite.replace(at + shown, at + size - shown, "****");
  }
  rewrite.finish();
}

}  // namespace talaria::policy
