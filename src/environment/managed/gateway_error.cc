#include "environment/managed/gateway_error.h"

#include <boost/json/serialize.hpp>

#include "base/text.h"
#include "json/fields.h"
#include "json/json_text.h"

namespace talaria::environment::managed {
namespace {

constexpr std::size_t kShownBody = 2000;  // bytes of an answer that is not JSON

// The first of these members that has a value.
const json::value* complaint(const json::object& body) {
  for (const char* key : {"error", "message", "code"}) {
    const json::value* const found = body.if_contains(key);
    if (found && is_truthy(*found)) return found;
  }
  return nullptr;
}

}  // namespace

std::string python_json(const json::value& value) {
  std::string text;
  const char* separator = "";
  if (const json::object* const object = value.if_object()) {
    for (const auto& [key, item] : *object) {
      text += separator + json::serialize(json::string(key)) + ": " + python_json(item);
      separator = ", ";
    }
    return "{" + text + "}";
  }
  if (const json::array* const array = value.if_array()) {
    for (const json::value& item : *array) {
      text += separator + python_json(item);
      separator = ", ";
    }
    return "[" + text + "]";
  }
  return json::serialize(value);
}

std::string gateway_error(std::string_view prefix, unsigned status, std::string_view body) {
  const std::string start = std::string(prefix) + ": ";
  const ParsedJson parsed = parse_json(body);
  if (parsed.value && parsed.value->is_object()) {
    const json::value* const said = complaint(parsed.value->get_object());
    if (said && said->is_string()) return start + std::string(said->get_string());
    return start + python_json(*parsed.value);
  }
  const std::string text = sanitize_utf8(trim(body).substr(0, kShownBody));
  return start + (text.empty() ? "HTTP " + std::to_string(status) : text);
}

}  // namespace talaria::environment::managed
