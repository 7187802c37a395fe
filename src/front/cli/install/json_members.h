// Sets one member in a JSON file that people edit: comments, order and layout stay; only the bytes
// of that member change. Accepts // and /* */ comments and trailing commas. No I/O.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <boost/json/value.hpp>

#include "base/result.h"

namespace talaria::front::cli {

// `text` with the member at `path` set to `value`; missing objects on the path are created. The
// same text if it already has that value. An error: the text is not JSON, or a part of the path is
// not an object.
Result<std::string> set_json_member(std::string_view text, std::span<const std::string_view> path,
                                    const boost::json::value& value);

// With objects over several lines; `indent` is that of the first line.
std::string laid_out(const boost::json::value& value, std::string_view indent = "");

}  // namespace talaria::front::cli
