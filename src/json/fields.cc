#include "json/fields.h"

#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>

#include "base/duration.h"
#include "base/text.h"

namespace talaria {

std::string text_field(const json::object& object, std::string_view name,
                       std::string_view otherwise) {
  const json::value* const found = object.if_contains(name);
  return std::string(found && found->is_string() ? std::string_view(found->get_string())
                                                 : otherwise);
}

std::optional<double> number_field(const json::object& object, std::string_view name) {
  const json::value* const found = object.if_contains(name);
  if (!found || !found->is_number()) return std::nullopt;
  return found->to_number<double>();
}

bool flag_field(const json::object& object, std::string_view name) {
  const json::value* const found = object.if_contains(name);
  return found && found->is_bool() && found->get_bool();
}

const json::array* array_field(const json::value& value, std::string_view name) {
  const json::object* const object = value.if_object();
  const json::value* const found = object ? object->if_contains(name) : nullptr;
  return found ? found->if_array() : nullptr;
}

const json::object* object_field(const json::object& object, std::string_view name) {
  const json::value* const found = object.if_contains(name);
  return found ? found->if_object() : nullptr;
}

bool is_truthy(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null:
      return false;
    case json::kind::bool_:
      return value.get_bool();
    case json::kind::int64:
      return value.get_int64() != 0;
    case json::kind::uint64:
      return value.get_uint64() != 0;
    case json::kind::double_:
      return value.get_double() != 0;
    case json::kind::string:
      return !value.get_string().empty();
    case json::kind::array:
      return !value.get_array().empty();
    case json::kind::object:
      return !value.get_object().empty();
  }
  return false;
}

std::optional<std::int64_t> whole_number(const json::value& value) {
  constexpr double kMost = 9e15;  // beyond that a double is not exact
  if (const auto* number = value.if_int64()) return *number;
  if (value.is_uint64()) return std::numeric_limits<std::int64_t>::max();
  if (const auto* number = value.if_double()) {
    if (!(*number >= -kMost && *number <= kMost)) return std::nullopt;
    return static_cast<std::int64_t>(*number);
  }
  if (!value.is_string()) return std::nullopt;
  const std::string_view text = trim(value.get_string());
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  return is_number ? std::optional(number) : std::nullopt;
}

std::optional<std::int64_t> whole_seconds(const json::value& value) {
  if (const auto* text = value.if_string()) {
    const auto time = parse_time(trim(*text));
    if (!time) return std::nullopt;
    return std::chrono::ceil<std::chrono::seconds>(*time).count();
  }
  const double* number = value.if_double();
  if (number && *number != std::trunc(*number)) return std::nullopt;
  return whole_number(value);
}

}  // namespace talaria
