// Error messages from the answers of a gateway, and JSON as Python prints it. No I/O.
#pragma once

#include <string>
#include <string_view>

#include <boost/json/value.hpp>

namespace talaria::environment::managed {

namespace json = boost::json;

// "PREFIX: MESSAGE" for an answer with an error status. The message is the member `error`,
// `message` or `code` of a JSON object if that is a string, else the whole object; or the body as
// it is; or "HTTP 503".
std::string gateway_error(std::string_view prefix, unsigned status, std::string_view body);

// With ", " and ": " as separators, and only necessary escapes.
std::string python_json(const json::value& value);

}  // namespace talaria::environment::managed
