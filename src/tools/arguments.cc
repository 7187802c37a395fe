#include "tools/arguments.h"

#include <algorithm>

#include "base/text.h"
#include "json/json_text.h"

namespace talaria::tool {

Result<json::object> parse_arguments(std::string_view text) {
  constexpr std::string_view kWhat = "the arguments of the tool";
  constexpr std::string_view kInvalid = ": not valid JSON: ";
  auto arguments = parse_object(text, kWhat);
  if (arguments) return arguments;
  std::string message = arguments.error().message();
  if (message.substr(kWhat.size()).starts_with(kInvalid)) {
    message.replace(kWhat.size(), kInvalid.size(), " are not valid JSON (");
    message += ")";
  }
  return fail(arguments.error().kind(),
              message + R"(. Pass a JSON object, such as '{"command":"ls"}')");
}

std::string_view python_type_name(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null:
      return "null";
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

bool is_true(const json::value& value) {
  if (!value.is_string()) return is_truthy(value);
  const std::string text = lower_case(trim(value.get_string()));
  return text == "true" || text == "1" || text == "yes";
}

std::int64_t bounded_number(const json::object& arguments, std::string_view name,
                            std::int64_t standard, std::int64_t least, std::int64_t most) {
  const json::value* value = given(arguments, name);
  const auto number = value ? whole_number(*value) : std::nullopt;
  return std::clamp(number.value_or(standard), least, most);
}

std::string text_argument(const json::object& arguments, std::string_view name,
                          std::string_view standard) {
  const json::value* value = given(arguments, name);
  return std::string(value && value->is_string() ? std::string_view(value->get_string())
                                                 : standard);
}

}  // namespace talaria::tool
