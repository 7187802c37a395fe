#include "policy/redact/secret_values.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "policy/redact/rows.h"

namespace talaria::policy {
namespace {

bool is_one_of(std::string_view text, const auto& list) {
  return std::ranges::find(list, text) != list.end();
}

// Types, constants and words of languages.
constexpr auto kWords = std::to_array<std::string_view>(
    {"any",     "ask",      "async",    "await",     "bool",    "boolean",  "bytes",    "char",
     "const",   "default",  "disabled", "empty",     "enabled", "env",      "expired",  "false",
     "file",    "function", "hidden",   "incorrect", "inherit", "input",    "int",      "invalid",
     "lambda",  "let",      "missing",  "new",       "nil",     "no",       "none",     "null",
     "number",  "object",   "ok",       "optional",  "prompt",  "redacted", "required", "self",
     "set",     "str",      "string",   "text",      "this",    "true",     "type",     "undefined",
     "unknown", "unset",    "varchar",  "void",      "wrong",   "yes"});

bool is_masked(std::string_view value) {
  constexpr std::size_t kMaskSize = 13;
  return value.contains("***") || (count_chars(value) == kMaskSize && value.contains("..."));
}

// --token=TOKEN, as a help text has it.
bool is_metavariable(std::string_view value) {
  constexpr std::size_t kLongest = 20;
  return value.size() <= kLongest &&
         std::ranges::all_of(value, [](char c) { return is_upper(c) || c == '_' || c == '-'; });
}

// $NAME, {name}, %s: what a program puts a value for.
bool is_reference(std::string_view value) {
  if (value.contains("${") || value.contains("{{") || value.contains("$(")) return true;
  if (value.starts_with("%(") || (value.size() == 2 && value.front() == '%')) return true;
  if (value.size() > 1 && value.front() == '%' && value.back() == '%') return true;
  if (!is_any_of(value.front(), "${")) return false;
  value.remove_prefix(1);
  if (value.ends_with('}')) value.remove_suffix(1);
  return std::ranges::all_of(value, [](char c) { return is_alphanumeric(c) || c == '_'; });
}

// <password>, xxxx, "your-key-here", !vault: what a person has to fill in, or is elsewhere.
bool is_gap(std::string_view lower) {
  const auto begins = [&](auto... starts) { return (lower.starts_with(starts) || ...); };
  if (lower.starts_with('<') && lower.ends_with('>')) return true;
  if (begins("your", "changeme", "change-me", "change_me", "placeholder", "example")) return true;
  if (begins("[redacted", "enc(", "!vault", "!ref", "!sub", "!secret", "!getatt")) return true;
  return std::ranges::all_of(lower, [](char c) { return is_any_of(c, "*.x-_?#|>"); });
}

struct Letters {
  bool lower = false;
  bool upper = false;
  bool digit = false;
  bool other = false;  // what is part of a secret, but not of a word

  explicit Letters(std::string_view text) {
    for (const char c : text) {
      lower |= is_lower(c);
      upper |= is_upper(c);
      digit |= is_digit(c);
      other |= !is_alphanumeric(c) && c != '_' && c != '.' && c != '-';
    }
  }
};

}  // namespace

bool is_placeholder(std::string_view value) {
  const std::string lower = lower_case(value);
  return is_masked(value) || is_one_of(lower, kWords) || is_reference(value) || is_gap(lower) ||
         is_metavariable(value);
}

bool is_strong(std::string_view value) {
  constexpr std::size_t kLeastMixed = 8;
  constexpr std::size_t kLeastPlain = 20;
  const Letters letters(value);
  const bool mixed = (letters.lower || letters.upper) && letters.digit;
  return (value.size() >= kLeastMixed && mixed) ||
         (value.size() >= kLeastPlain && letters.lower && letters.upper);
}

bool is_random(std::string_view value) {
  constexpr std::size_t kLeast = 16;
  constexpr std::size_t kLeastOfOneCase = 32;
  const Letters letters(value);
  const bool mixed = letters.digit && letters.lower && (letters.upper || letters.other);
  return (value.size() >= kLeast && mixed) ||
         (value.size() >= kLeastOfOneCase && letters.digit && (letters.lower || letters.upper));
}

}  // namespace talaria::policy
