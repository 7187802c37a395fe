#include "json/json_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/text.h"

namespace talaria {
namespace {

constexpr std::size_t kEscapeSize = 6;  // \uXXXX

// The UTF-16 unit of the escape that starts at `at`, if one does.
std::optional<unsigned> unit_at(std::string_view text, std::size_t at) {
  if (at + kEscapeSize > text.size() || text[at] != '\\' || text[at + 1] != 'u') return {};
  const char* const digits = text.data() + at + 2;
  unsigned unit = 0;
  const auto [end, error] = std::from_chars(digits, digits + 4, unit, 16);
  if (error != std::errc() || end != digits + 4) return {};
  return unit;
}

bool is_leading(unsigned unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
bool is_trailing(unsigned unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

// In JSON text a backslash only ever starts an escape, so strings need not be recognised.
std::string without_unpaired_surrogates(std::string text) {
  for (std::size_t at = text.find('\\'); at < text.size(); at = text.find('\\', at)) {
    const std::optional<unsigned> unit = unit_at(text, at);
    if (!unit) {
      at += 2;
    } else if (is_leading(*unit) && is_trailing(unit_at(text, at + kEscapeSize).value_or(0))) {
      at += 2 * kEscapeSize;
    } else {
      if (is_leading(*unit) || is_trailing(*unit)) text.replace(at, kEscapeSize, "\\ufffd");
      at += kEscapeSize;
    }
  }
  return text;
}

bool has_fraction(const json::object& object);

bool has_fraction(const json::value& value) {
  if (const json::array* list = value.if_array()) {
    return std::ranges::any_of(*list, [](const json::value& item) { return has_fraction(item); });
  }
  if (const json::object* object = value.if_object()) return has_fraction(*object);
  return value.is_double();
}

bool has_fraction(const json::object& object) {
  return std::ranges::any_of(object, [](const auto& entry) { return has_fraction(entry.value()); });
}

// 0.55, which the library writes as 5.5E-1.
void write_fraction(std::string& to, double number) {
  if (!std::isfinite(number)) {
    to += "null";
    return;
  }
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  to.append(digits.data(), end);
}

template <class Items, class Write>
void write_list(std::string& to, char open, char close, const Items& items, const Write& write) {
  to += open;
  bool first = true;
  for (const auto& item : items) {
    if (!std::exchange(first, false)) to += ',';
    write(item);
  }
  to += close;
}

void write_value(std::string& to, const json::value& value);

void write_object(std::string& to, const json::object& object) {
  if (!has_fraction(object)) {
    to += json::serialize(object);
    return;
  }
  write_list(to, '{', '}', object, [&](const auto& entry) {
    to += json::serialize(entry.key()) + ":";
    write_value(to, entry.value());
  });
}

void write_value(std::string& to, const json::value& value) {
  if (const json::object* object = value.if_object()) {
    write_object(to, *object);
  } else if (!has_fraction(value)) {
    to += json::serialize(value);
  } else if (const json::array* list = value.if_array()) {
    write_list(to, '[', ']', *list, [&](const json::value& item) { write_value(to, item); });
  } else {
    write_fraction(to, value.get_double());
  }
}

std::string_view kind_of(const json::value& value) {
  if (value.is_array()) return "an array";
  if (value.is_string()) return "a string";
  if (value.is_number()) return "a number";
  return value.is_null() ? "null" : "a boolean";
}

}  // namespace

ParsedJson parse_json(std::string_view text, std::size_t depth) {
  json::parse_options options;
  options.max_depth = depth;
  json::error_code error;
  json::value value = json::parse(text, error, {}, options);
  if (!error) return {std::move(value), {}};

  std::string repaired = without_unpaired_surrogates(sanitize_utf8(text));
  if (repaired != text) {
    json::error_code still;
    json::value readable = json::parse(repaired, still, {}, options);
    if (!still) {
      return {
          fail(ErrorKind::bad_request,
               "not valid Unicode text: it has an unpaired surrogate or a byte that is not UTF-8"),
          std::move(readable)};
    }
  }
  return {fail(ErrorKind::bad_request, "not valid JSON: " + error.message()), {}};
}

Result<json::object> parse_object(std::string_view text, std::string_view what) {
  ParsedJson parsed = parse_json(text);
  if (parsed.value && parsed.value->is_object()) return std::move(parsed.value->get_object());
  return fail(ErrorKind::bad_request, std::string(what) + ": " +
                                          (parsed.value ? "expected a JSON object, got " +
                                                              std::string(kind_of(*parsed.value))
                                                        : parsed.value.error().message()));
}

std::string to_line(const json::value& value) {
  std::string line;
  write_value(line, value);
  return is_valid_utf8(line) ? line : sanitize_utf8(line);
}

std::string to_line(const json::object& object) {
  std::string line;
  write_object(line, object);
  return is_valid_utf8(line) ? line : sanitize_utf8(line);
}

}  // namespace talaria
