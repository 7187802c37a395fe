#include "policy/guard/run/parameter.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "base/text.h"

namespace talaria::guard {
namespace {

constexpr std::size_t kMaxMatched = 64;  // longer values are not known after a pattern

const std::string kUnknown(1, kUnknownPiece);

// Reads [abc] or [!a-z] at `at`; moves behind it. False: it is no such thing.
bool match_set(std::string_view pattern, std::size_t& at, char c, bool& matched) {
  if (const std::size_t end = pattern.find(":]]", at);
      pattern.substr(at).starts_with("[[:") && end != std::string_view::npos) {
    at = end + 3;  // a class: whether it has the letter is not looked up
    matched = true;
    return true;
  }
  std::size_t i = at + 1;
  const bool negated = i < pattern.size() && (pattern[i] == '!' || pattern[i] == '^');
  if (negated) ++i;
  bool found = false;
  for (bool first = true; i < pattern.size() && (first || pattern[i] != ']'); first = false) {
    if (i + 2 < pattern.size() && pattern[i + 1] == '-' && pattern[i + 2] != ']') {
      found = found || (pattern[i] <= c && c <= pattern[i + 2]);
      i += 3;
    } else {
      found = found || pattern[i] == c;
      ++i;
    }
  }
  if (i >= pattern.size()) return false;
  at = i + 1;
  matched = found != negated;
  return true;
}

// Without what the pattern stands for at one end.
std::string removed(const std::string& value, std::string_view pattern, bool front, bool longest) {
  const std::string_view whole = value;
  for (std::size_t n = 0; n <= value.size(); ++n) {
    const std::size_t size = longest ? value.size() - n : n;
    const std::size_t rest = value.size() - size;
    if (!matches_pattern(pattern, front ? whole.substr(0, size) : whole.substr(rest))) continue;
    return value.substr(front ? size : 0, rest);
  }
  return value;
}

std::string replace(const std::string& value, const std::string& argument, bool every) {
  const std::size_t slash = argument.find('/', 1);
  const std::string pattern = argument.substr(0, slash);
  const std::string with = slash == std::string::npos ? "" : argument.substr(slash + 1);
  std::string out;
  bool done = false;
  for (std::size_t at = 0; at < value.size();) {
    std::size_t size = 0;
    for (std::size_t n = value.size() - at; n > 0 && size == 0 && !done; --n) {
      if (matches_pattern(pattern, std::string_view(value).substr(at, n))) size = n;
    }
    if (size == 0) {
      out += value[at++];
    } else {
      out += with;
      at += size;
      done = !every;
    }
  }
  return out;
}

std::string change_case(std::string value, bool upper, bool every) {
  for (std::size_t i = 0; i < (every ? value.size() : std::min<std::size_t>(value.size(), 1));
       ++i) {
    const int c = static_cast<unsigned char>(value[i]);
    value[i] = static_cast<char>(upper ? std::toupper(c) : std::tolower(c));
  }
  return value;
}

}  // namespace

bool take_slice(std::vector<SeenWord>& items, const SeenWord& range, bool arguments) {
  const std::string_view text = range.text;
  const std::size_t colon = std::min(text.find(':'), text.size());
  const auto from = parse_integer<std::size_t>(trim(text.substr(0, colon)));
  const auto count = colon == text.size()
                         ? std::optional(items.size() + 1)
                         : parse_integer<std::size_t>(trim(text.substr(colon + 1)));
  const auto loose = [](const SeenWord& item) { return item.several || item.pattern; };
  if (!from || !count || std::ranges::any_of(items, loose)) return false;
  if (arguments) items.insert(items.begin(), SeenWord{"bash"});
  items.erase(items.begin(),
              items.begin() + static_cast<std::ptrdiff_t>(std::min(*from, items.size())));
  if (*count < items.size()) items.resize(*count);
  return true;
}

bool matches_pattern(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;  // where to try again
  std::size_t star_text = 0;
  while (t < text.size()) {
    bool matched = false;
    std::size_t next = p + 1;
    if (p < pattern.size() && (pattern[p] == '*' || pattern[p] == kUnknownPiece)) {
      star = p++;
      star_text = t;
      continue;
    }
    if (p < pattern.size()) {
      next = p;
      if (pattern[p] != '[' || !match_set(pattern, next, text[t], matched)) {
        matched = pattern[p] == '?' || pattern[p] == text[t];
        next = p + 1;
      }
    }
    if (matched) {
      p = next;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++star_text;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && (pattern[p] == '*' || pattern[p] == kUnknownPiece)) ++p;
  return p == pattern.size();
}

std::string apply_operation(const SeenWord& value, const std::string& operation,
                            const SeenWord& argument) {
  if (!value.known() || !argument.known()) return kUnknown;
  if (argument.text.contains("[:")) return kUnknown;
  if (value.text.size() > kMaxMatched || argument.text.size() > kMaxMatched) return kUnknown;
  const std::string& text = value.text;
  if (operation.starts_with('#') || operation.starts_with('%')) {
    return removed(text, argument.text, operation.front() == '#', operation.size() > 1);
  }
  if (operation == "/" || operation == "//") return replace(text, argument.text, operation == "//");
  const bool upper = operation.starts_with('^');
  if ((upper || operation.starts_with(',')) && argument.text.empty()) {
    return change_case(text, upper, operation.size() > 1);
  }
  return kUnknown;
}

}  // namespace talaria::guard
