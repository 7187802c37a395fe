// JSON as a client wrote it, and as we write it for one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "base/result.h"

namespace talaria {

namespace json = boost::json;

struct ParsedJson {
  Result<json::value> value;
  // If the only flaw is broken Unicode: the text with U+FFFD in its place. Not to be acted on, but
  // good enough to find out which request it was.
  std::optional<json::value> readable;
};

// `depth`: how deeply it may be nested.
inline constexpr std::size_t kUsualDepth = 32;
ParsedJson parse_json(std::string_view text, std::size_t depth = kUsualDepth);

// `what` names the text in the message: "the arguments of a tool".
Result<json::object> parse_object(std::string_view text, std::string_view what);

// One line without its end, always valid UTF-8 whatever strings `value` holds.
std::string to_line(const json::value& value);
std::string to_line(const json::object& object);  // which is not copied into a value for it

}  // namespace talaria
