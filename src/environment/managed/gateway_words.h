// What a gateway says that went wrong, as people read it; and its JSON, as Python would print it.
// No I/O.
#pragma once

#include <string>
#include <string_view>

#include <boost/json/value.hpp>

namespace talaria::environment::managed {

namespace json = boost::json;

// "PREFIX: WORDS" of an answer with an error's status. The words are what a JSON object says as
// `error`, `message` or `code`, if that is a text, else the whole object; or the body as it is; or
// "HTTP 503".
std::string gateway_error(std::string_view prefix, unsigned status, std::string_view body);

// With ", " and ": " between things, and nothing escaped that need not be.
std::string python_json(const json::value& value);

}  // namespace talaria::environment::managed
