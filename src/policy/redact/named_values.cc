// Values by the names before them, in the forms that settings, data and code use:
//
//   db_password = hunter2          INI, TOML, properties
//   password: hunter2              YAML, and "Password: hunter2" at the beginning of a line
//   "dbPassword": "hunter2"        JSON, dictionaries
//   password => 'hunter2'          PHP, Ruby
//   host=h password=hunter2 ...    connection strings, with blanks, ; or & between the parts
//   ?api_key=abc&...               queries of URLs
//
// Only the value is replaced. What is not a value stays readable: code (get_password(),
// self.token), types (token: str), references (${TOKEN}), placeholders (<password>, xxxx).

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

#include "base/secret_name.h"
#include "base/text.h"
#include "policy/redact/rows.h"
#include "policy/redact/secret_values.h"

namespace talaria::policy {
namespace {

constexpr std::size_t kLongestName = 96;
// A longer value that is none is not searched for further names, so that no text takes long.
constexpr std::size_t kLongValue = 512;

struct NamedValue {
  SecretName kind = SecretName::none;
  std::string_view name;
  char name_quote = 0;  // around the name; 0: none
  char separator = 0;
  char before_name = '\n';  // the character before the name, blanks left out
  bool in_query = false;    // right behind a ? or &
  bool compact = true;      // no blanks between name and value
  bool quoted = false;      // the value is
  std::size_t begin = 0;    // of the value
  std::size_t end = 0;
  char behind = '\n';     // the character behind the value, quotes left out
  bool ends_line = true;  // nothing but blanks and a comment is behind the value

  std::string_view value_in(std::string_view text) const { return text.substr(begin, end - begin); }
};

// The name that ends at `end`, quotes and all; looks back no further than `from`.
bool read_name(std::string_view text, std::size_t from, std::size_t end, NamedValue& found) {
  const auto before = [&](std::size_t at) { return at > from ? text[at - 1] : '\n'; };
  while (is_blank(before(end))) {
    --end;
    found.compact = false;
  }
  if (is_any_of(before(end), found.separator == '=' ? ":?" : "?")) --end;  // := and ?=
  while (is_blank(before(end))) --end;
  if (before(end) == ']') --end;  // settings["password"] = ...
  if (is_any_of(before(end), "\"'`")) {
    found.name_quote = before(end--);
    if (before(end) == '\\') --end;
  }
  std::size_t begin = end;
  while (begin > from && end - begin <= kLongestName && is_name_byte(text[begin - 1])) --begin;
  if (found.name_quote != 0 && before(begin) != found.name_quote) return false;
  found.in_query = is_any_of(before(begin), "?&");
  std::size_t behind = begin;
  while (is_blank(before(behind))) --behind;
  found.before_name = before(behind);
  found.name = text.substr(begin, end - begin);
  while (!found.name.empty() && is_any_of(found.name.front(), "-.")) found.name.remove_prefix(1);
  found.kind = secret_name(found.name);
  return found.kind != SecretName::none;
}

// The quote that opens at `open` closes in the same line; nothing: it does not.
std::optional<std::size_t> closing_at(std::string_view text, std::size_t open, bool escaped) {
  const char quote = text[open];
  for (std::size_t at = open + 1; at < text.size() && text[at] != '\n'; ++at) {
    if (text[at] == quote && !escaped) return at;
    if (text[at] != '\\') continue;
    if (escaped && at + 1 < text.size() && text[at + 1] == quote) return at;
    ++at;
  }
  return std::nullopt;
}

bool read_quoted(std::string_view text, std::size_t at, bool escaped, NamedValue& found) {
  const auto close = closing_at(text, at, escaped);
  if (!close) return false;
  found.quoted = true;
  found.begin = at + 1;
  found.end = *close;
  const std::size_t behind = *close + (escaped ? 2 : 1);
  found.behind = behind < text.size() ? text[behind] : '\n';
  return found.end > found.begin;
}

// Up to a blank or, without blanks around the separator, up to what ends a part of a connection
// string or a query. Not the brackets, commas and semicolons behind it.
bool read_bare(std::string_view text, std::size_t at, NamedValue& found) {
  const std::string_view ends = found.compact ? "\"'`;&<>" : "\"'`";
  std::size_t end = at;
  while (end < text.size() && !is_space(text[end]) && !is_any_of(text[end], ends)) ++end;
  std::size_t last = end;
  while (last > at && is_any_of(text[last - 1], ",;)]}")) --last;
  if (last > at && text[last - 1] == '.' && (end == text.size() || is_space(text[end]))) --last;
  found.begin = at;
  found.end = last;
  found.behind = last < text.size() ? text[last] : '\n';
  std::size_t rest = end;
  while (rest < text.size() && is_blank(text[rest])) ++rest;
  const char next = rest < text.size() ? text[rest] : '\n';
  found.ends_line = is_any_of(next, "\n\r#/") || is_any_of(found.behind, ",}])\"'`;&");
  return last > at;
}

bool read_value(std::string_view text, std::size_t separator, NamedValue& found) {
  std::size_t at = separator + 1;
  const auto here = [&](std::size_t place) { return place < text.size() ? text[place] : '\n'; };
  if (text[separator] == '=' && is_any_of(here(at), "=~")) return false;  // it compares
  if (text[separator] == ':' && is_any_of(here(at), ":=/")) return false;
  if (here(at) == '>') ++at;
  while (is_blank(here(at))) {
    ++at;
    found.compact = false;
  }
  if (is_any_of(here(at), "rRbBuU@") && is_any_of(here(at + 1), "\"'")) ++at;  // b'...'
  const bool escaped = here(at) == '\\' && is_any_of(here(at + 1), "\"'");
  if (escaped) ++at;
  if (is_any_of(here(at), "\"'`")) return read_quoted(text, at, escaped, found);
  return read_bare(text, at, found);
}

bool is_identifier(std::string_view value) {
  return std::ranges::all_of(value, [](char c) { return is_alphanumeric(c) || c == '_'; }) &&
         !is_digit(value.front());
}

bool is_path(std::string_view value) {
  return value.starts_with("/") || value.starts_with("./") || value.starts_with("~/") ||
         value.starts_with("../");
}

// A bare value that a program would compute.
bool is_code(std::string_view value) {
  const auto has = [&](auto... parts) { return (value.contains(parts) || ...); };
  if (has('(', '[', '<', "::", "->") || is_any_of(value.front(), "&*")) return true;
  const bool is_chain = value.contains('.') && std::ranges::all_of(value, [](char c) {
                          return is_alphanumeric(c) || c == '_' || c == '.';
                        });
  return is_chain && !has_digit(value);
}

// f(password=secret), {password: pw, ...}, password: string;
bool is_argument(const NamedValue& found, std::string_view value) {
  return is_identifier(value) && !has_digit(value) &&
         (is_any_of(found.behind, ",)") || (found.behind == ';' && !found.compact));
}

bool is_bare_value(const NamedValue& found, std::string_view value) {
  if (is_code(value) || is_argument(found, value)) return false;
  if (is_path(value) && !is_random(value)) return false;
  return !is_identifier(value) || secret_name(value) == SecretName::none;
}

// A colon is also part of sentences: then words stand before the name or behind the value.
bool is_setting(const NamedValue& found) {
  if (found.separator != ':' || found.name_quote != 0) return true;
  if (is_alphanumeric(found.before_name) || is_any_of(found.before_name, ").?!")) return false;
  if (!found.quoted && !found.ends_line) return false;
  return !found.compact || found.quoted || is_any_of(found.before_name, "\n|");
}

// In a query a bare `token` is part of a link that somebody is to open.
bool is_part_of_link(const NamedValue& found) {
  return found.in_query && found.compact && lower_case(found.name) == "token";
}

bool is_secret(const NamedValue& found, std::string_view value, NamedValues which) {
  if (is_placeholder(value) || !is_setting(found) || is_part_of_link(found)) return false;
  if (!found.quoted && !is_bare_value(found, value)) return false;
  const bool is_phrase = lower_case(found.name).ends_with("passphrase");
  if (std::ranges::any_of(value, is_space) && !is_phrase) return false;
  if (which == NamedValues::random) return is_random(value);
  const bool is_dictionary = found.name_quote == '\'' && found.separator == ':';
  if (is_dictionary || found.kind == SecretName::key) return is_strong(value);
  if (found.kind == SecretName::token && !(found.compact && !found.quoted)) return is_strong(value);
  return true;
}

}  // namespace

void mask_named_values(RewrittenText& whole, NamedValues which) {
  const std::string_view text = whole.text;
  Rewrite rewrite(whole);
  for (std::size_t at = text.find_first_of("=:"); at != std::string_view::npos;) {
    NamedValue found{.separator = text[at]};
    const bool has_value =
        read_name(text, rewrite.replaced_until(), at, found) && read_value(text, at, found);
    const std::string_view value = has_value ? found.value_in(text) : std::string_view();
    std::size_t next = at + 1;
    if (has_value && is_secret(found, value, which)) {
      rewrite.replace(found.begin, found.end, mask(value));
      next = found.end;
    } else if (value.size() > kLongValue) {
      next = found.end;
    }
    at = text.find_first_of("=:", next);
  }
  rewrite.finish();
}

}  // namespace talaria::policy
