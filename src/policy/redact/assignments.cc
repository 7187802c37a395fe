#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "policy/redact/rows.h"

namespace talaria::policy {
namespace {

constexpr auto kSecretWords = std::to_array<std::string_view>(
    {"API_KEY", "APIKEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL",
     "AUTH", "PRIVATE_KEY", "ACCESS_KEY"});
constexpr std::size_t kLongestTelling = 11;
constexpr std::string_view kSecretEnd = "_PASS";  // TESTS_PASSED is none
constexpr std::size_t kMostBehind = 50;           // of the name, behind the telling word

bool is_name(char c) { return is_upper(c) || is_digit(c) || c == '_'; }

// Whether a telling name ends at `end`; looks back no further than `begin`.
bool telling_name_before(std::string_view text, std::size_t begin, std::size_t end) {
  std::size_t first = end;
  const std::size_t farthest = end - std::min(end - begin, kMostBehind + kLongestTelling);
  while (first > farthest && is_name(text[first - 1])) --first;
  const std::string_view name = text.substr(first, end - first);
  return name.ends_with(kSecretEnd) ||
         std::ranges::any_of(kSecretWords, [&](std::string_view word) {
           const std::size_t at = name.rfind(word);
           return at != std::string_view::npos && name.size() - at - word.size() <= kMostBehind;
         });
}

// name, blanks, =, blanks, value: where the first blank, the value and what is behind it are.
struct Assignment {
  std::size_t name_end;
  std::size_t value;
  std::size_t value_end;
  std::string_view quote;  // around the value
};

bool is_quote(char c) { return c == '"' || c == '\''; }

// Where the quote at `open` is closed, with something in it: in the same word, up to `word_end`, at
// its last quote; else at the next one in the line that no backslash stands before. 0 if nowhere.
std::size_t closing_quote(std::string_view text, std::size_t open, std::size_t word_end) {
  const std::size_t last = text.rfind(text[open], word_end - 1);
  if (last >= open + 2) return last;
  if (last > open) return 0;  // nothing is in it
  for (std::size_t at = open + 1; at < text.size() && text[at] != '\n'; ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == text[open]) {
      return at;
    }
  }
  return 0;
}

// The one with the = at `equals`; value_end is 0 if it is none.
Assignment assignment_at(std::string_view text, std::size_t begin, std::size_t equals) {
  Assignment found{.name_end = equals, .value = equals + 1, .value_end = 0};
  while (found.name_end > begin && is_blank(text[found.name_end - 1])) --found.name_end;
  if (!telling_name_before(text, begin, found.name_end)) return found;
  while (found.value < text.size() && is_blank(text[found.value])) ++found.value;
  std::size_t end = found.value;
  while (end < text.size() && !is_space(text[end])) ++end;
  if (end == found.value) return found;
  found.value_end = end;
  const std::size_t close = is_quote(text[found.value]) ? closing_quote(text, found.value, end) : 0;
  if (close == 0) return found;
  found.quote = text.substr(found.value, 1);
  ++found.value;
  found.value_end = close;
  return found;
}

}  // namespace

// Blanks do not include newlines: an empty value must not take the next line for its own.
void mask_assignments(RewrittenText& whole) {
  const std::string_view text = whole.text;
  Rewrite rewrite(whole);
  for (std::size_t at = text.find('='); at != std::string::npos; at = text.find('=', at)) {
    const Assignment found = assignment_at(text, rewrite.replaced_until(), at);
    if (found.value_end == 0) {
      ++at;
      continue;
    }
    const std::string quote(found.quote);
    at = found.value_end + quote.size();
    rewrite.replace(
        found.name_end, at,
        "=" + quote + mask(text.substr(found.value, found.value_end - found.value)) + quote);
  }
  rewrite.finish();
}

}  // namespace talaria::policy
