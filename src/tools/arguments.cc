#include "tools/arguments.h"

#include "json/json_text.h"

namespace talaria {

Result<json::object> parse_arguments(std::string_view text) {
  return parse_object(text, R"(the arguments of a tool, for example '{"command":"ls"}')");
}

std::string_view python_type_name(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null:
      return "NoneType";
    case json::kind::bool_:
      return "bool";
    case json::kind::int64:
    case json::kind::uint64:
      return "int";
    case json::kind::double_:
      return "float";
    case json::kind::string:
      return "str";
    case json::kind::array:
      return "list";
    case json::kind::object:
      return "dict";
  }
  return "object";
}

const json::value* given(const json::object& arguments, std::string_view name) {
  const json::value* value = arguments.if_contains(name);
  return value && !value->is_null() ? value : nullptr;
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

}  // namespace talaria
