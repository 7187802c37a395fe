// Reading a tool's arguments. Models send odd types. Errors use the type names of Python, which
// models know.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "base/result.h"
#include "json/fields.h"

namespace talaria::tool {

namespace json = boost::json;

// The arguments of a call that came as text.
Result<json::object> parse_arguments(std::string_view text);

// "str", "int", "null", ...
std::string_view python_type_name(const json::value& value);

// Null stands for absent.
const json::value* given(const json::object& arguments, std::string_view name);

// true, or what stands for it: "true", "1", 1.
bool is_true(const json::value& value);

// A number within these bounds, or the nearest to what is asked; `standard` if that is not a
// number.
std::int64_t bounded_number(const json::object& arguments, std::string_view name,
                            std::int64_t standard, std::int64_t least, std::int64_t most);

// A text; `standard` if there is none.
std::string text_argument(const json::object& arguments, std::string_view name,
                          std::string_view standard = {});

}  // namespace talaria::tool
