// Reading a tool's arguments. Models send odd types; what is wrong is said in the words their
// training knows, the type names of Python.
#pragma once

#include <string_view>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "base/result.h"

namespace talaria {

namespace json = boost::json;

// The arguments of a call that came as text.
Result<json::object> parse_arguments(std::string_view text);

// "str", "int", "NoneType", ...
std::string_view python_type_name(const json::value& value);

// Null stands for absent.
const json::value* given(const json::object& arguments, std::string_view name);

// What Python calls true: not false, 0, "", [], {} or null.
bool is_truthy(const json::value& value);

}  // namespace talaria
