#include "front/gateway/request_fields.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "json/json_text.h"

namespace talaria::front::gateway {
namespace {

constexpr double kMostMilliseconds = 1e12;

}  // namespace

RequestFields::RequestFields(std::string_view body) {
  if (trim(body).empty()) return;
  auto parsed = parse_object(body, "the body");
  if (parsed) {
    fields_ = std::move(*parsed);
  } else {
    check_ = fail(ErrorKind::bad_request, parsed.error().message());
  }
}

void RequestFields::flawed(std::string why) {
  if (check_) check_ = fail(ErrorKind::bad_request, std::move(why));
}

// null counts as absent.
const json::value* RequestFields::find(std::string_view name) const {
  const json::value* value = fields_.if_contains(name);
  return value && value->is_null() ? nullptr : value;
}

std::optional<std::string> RequestFields::optional_text(std::string_view name) {
  const json::value* value = find(name);
  if (!value) return std::nullopt;
  if (value->is_string()) return std::string(value->get_string());
  flawed(std::string(name) + " must be a string");
  return std::nullopt;
}

std::string RequestFields::text(std::string_view name) { return optional_text(name).value_or(""); }

double RequestFields::number(std::string_view name) {
  const json::value* value = find(name);
  if (!value) return 0;
  const double number = value->is_number() ? value->to_number<double>() : -1;
  if (number >= 0 && std::isfinite(number)) return number;
  flawed(std::string(name) + " must be a non-negative number");
  return 0;
}

std::chrono::milliseconds RequestFields::milliseconds(std::string_view name) {
  const double count = number(name);
  if (count > kMostMilliseconds) flawed(std::string(name) + " is too large");
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::min(count, kMostMilliseconds)));
}

bool RequestFields::flag(std::string_view name, bool otherwise) {
  const json::value* value = find(name);
  if (!value) return otherwise;
  if (value->is_bool()) return value->get_bool();
  flawed(std::string(name) + " must be true or false");
  return false;
}

const json::object* RequestFields::object(std::string_view name) {
  const json::value* value = find(name);
  if (!value) return nullptr;
  if (value->is_object()) return &value->get_object();
  flawed(std::string(name) + " must be an object");
  return nullptr;
}

}  // namespace talaria::front::gateway
