#include "policy/guard/run/parameter.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <string_view>

namespace talaria::guard {
namespace {

constexpr std::size_t kMaxMatched = 64;  // longer values are not known after a pattern

const std::string kUnknown(1, kUnknownPiece);

// Behind the [:name:] at `at`; 0: there is none.
std::size_t class_end(std::string_view pattern, std::size_t at) {
  if (!pattern.substr(at).starts_with("[:")) return 0;
  const std::size_t end = pattern.find(":]", at + 2);
  return end == std::string_view::npos ? 0 : end + 2;
}

bool in_class(std::string_view name, char letter) {
  struct Class {
    std::string_view name;
    int (*holds)(int);
  };
  static constexpr Class kClasses[] = {
      {"alpha", std::isalpha}, {"digit", std::isdigit},   {"alnum", std::isalnum},
      {"upper", std::isupper}, {"lower", std::islower},   {"space", std::isspace},
      {"punct", std::ispunct}, {"xdigit", std::isxdigit}, {"blank", std::isblank},
      {"cntrl", std::iscntrl}, {"print", std::isprint},   {"graph", std::isgraph},
  };
  for (const Class& one : kClasses) {
    if (one.name == name) return one.holds(static_cast<unsigned char>(letter)) != 0;
  }
  return name == "word" && (std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_');
}

// Reads [abc] or [!a-z] at `at`; moves behind it. False: it is no such thing.
bool match_set(std::string_view pattern, std::size_t& at, char c, bool& matched) {
  std::size_t i = at + 1;
  const bool negated = i < pattern.size() && (pattern[i] == '!' || pattern[i] == '^');
  if (negated) ++i;
  bool found = false;
  for (bool first = true; i < pattern.size() && (first || pattern[i] != ']'); first = false) {
    if (const std::size_t end = class_end(pattern, i); end != 0) {
      found = found || in_class(pattern.substr(i + 2, end - i - 4), c);
      i = end;
    } else if (i + 2 < pattern.size() && pattern[i + 1] == '-' && pattern[i + 2] != ']') {
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

std::string remove_prefix(const std::string& value, std::string_view pattern, bool longest) {
  for (std::size_t n = 0; n <= value.size(); ++n) {
    const std::size_t size = longest ? value.size() - n : n;
    if (matches_pattern(pattern, std::string_view(value).substr(0, size))) {
      return value.substr(size);
    }
  }
  return value;
}

std::string remove_suffix(const std::string& value, std::string_view pattern, bool longest) {
  for (std::size_t n = 0; n <= value.size(); ++n) {
    const std::size_t from = longest ? n : value.size() - n;
    if (matches_pattern(pattern, std::string_view(value).substr(from))) {
      return value.substr(0, from);
    }
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

std::optional<long> whole_number(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string substring(const std::string& value, const std::string& argument) {
  const std::size_t colon = argument.find(':');
  const std::optional<long> from = whole_number(argument.substr(0, colon));
  const std::optional<long> count =
      colon == std::string::npos ? 100'000 : whole_number(argument.substr(colon + 1));
  if (!from || !count) return kUnknown;
  const long size = static_cast<long>(value.size());
  const long begin = *from < 0 ? size + *from : *from;
  const long end = *count < 0 ? size + *count : std::min(size, begin + *count);
  if (begin < 0 || begin > size || end < begin) return "";
  return value.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
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
  if (!range.known()) return false;
  for (const SeenWord& item : items) {
    if (item.several || item.pattern) return false;
  }
  const std::size_t colon = range.text.find(':');
  const std::optional<long> from = whole_number(range.text.substr(0, colon));
  const std::optional<long> count = colon == std::string::npos
                                        ? std::optional<long>(static_cast<long>(items.size()) + 1)
                                        : whole_number(range.text.substr(colon + 1));
  if (!from || !count || *count < 0) return false;
  if (arguments) items.insert(items.begin(), SeenWord{"bash"});
  const long size = static_cast<long>(items.size());
  const long begin = *from < 0 ? size + *from : *from;
  if (begin < 0 || begin >= size) {
    items.clear();
    return true;
  }
  items.erase(items.begin(), items.begin() + begin);
  if (*count < static_cast<long>(items.size())) items.resize(static_cast<std::size_t>(*count));
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
  if (value.text.size() > kMaxMatched || argument.text.size() > kMaxMatched) return kUnknown;
  const std::string& text = value.text;
  if (operation == "#" || operation == "##") {
    return remove_prefix(text, argument.text, operation == "##");
  }
  if (operation == "%" || operation == "%%") {
    return remove_suffix(text, argument.text, operation == "%%");
  }
  if (operation == "/" || operation == "//") return replace(text, argument.text, operation == "//");
  if (operation == ":") return substring(text, argument.text);
  if (operation.starts_with('^') && argument.text.empty()) {
    return change_case(text, true, operation == "^^");
  }
  if (operation.starts_with(',') && argument.text.empty()) {
    return change_case(text, false, operation == ",,");
  }
  return kUnknown;
}

}  // namespace talaria::guard
