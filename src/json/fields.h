// One member of a JSON object that another program wrote. A member of the wrong type is treated as
// missing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace talaria {

namespace json = boost::json;

// The string, or `otherwise`.
std::string text_field(const json::object& object, std::string_view name,
                       std::string_view otherwise = {});
// The number, if it is one.
std::optional<double> number_field(const json::object& object, std::string_view name);
// Whether it is `true`.
bool flag_field(const json::object& object, std::string_view name);
// Null unless it is one.
const json::array* array_field(const json::value& value, std::string_view name);
const json::object* object_field(const json::object& object, std::string_view name);

// Whether Python treats the value as true: everything but null, false, 0 and what is empty.
bool is_truthy(const json::value& value);

// A number as models write one: 5, 5.0, "5". Nothing if it is none.
std::optional<std::int64_t> whole_number(const json::value& value);

// A time as models write one: 90, "90", "5m", "2h"; a part of a second counts as one. Nothing if it
// is none.
std::optional<std::int64_t> whole_seconds(const json::value& value);

}  // namespace talaria
