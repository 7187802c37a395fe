#include "json/json_text.h"

#include <charconv>

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

// In JSON text a backslash only ever starts an escape, so no string has to be told from the rest.
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

}  // namespace

ParsedJson parse_json(std::string_view text) {
  json::error_code error;
  json::value value = json::parse(text, error);
  if (!error) return {std::move(value), {}};

  std::string repaired = without_unpaired_surrogates(sanitize_utf8(text));
  if (repaired != text) {
    json::error_code still;
    json::value readable = json::parse(repaired, still);
    if (!still) {
      return {
          fail(ErrorKind::bad_request,
               "not valid Unicode text: it has an unpaired surrogate or a byte that is no UTF-8"),
          std::move(readable)};
    }
  }
  return {fail(ErrorKind::bad_request, "not valid JSON: " + error.message()), {}};
}

Result<json::object> parse_object(std::string_view text, std::string_view what) {
  ParsedJson parsed = parse_json(text);
  if (parsed.value && parsed.value->is_object()) return std::move(parsed.value->get_object());
  return fail(ErrorKind::bad_request,
              std::string(what) + ": expected a JSON object: " +
                  (parsed.value ? "this is something else" : parsed.value.error().message()));
}

std::string to_line(const json::value& value) {
  std::string line = json::serialize(value);
  return is_valid_utf8(line) ? line : sanitize_utf8(line);
}

}  // namespace talaria
