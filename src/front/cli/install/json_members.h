// Setting one member in a JSON file that a person keeps: comments, order and layout stay as they
// are, and only the bytes of that member change. Takes what editors take: // and /* */ comments and
// commas behind the last member. No I/O.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <boost/json/value.hpp>

#include "base/result.h"

namespace talaria::front::cli {

// `text` with the member at `path` set to `value`; objects on the way there are made. The same text
// if it has that value already. An error: the text is not JSON, or something on the way is no
// object; then it is better left alone.
Result<std::string> set_json_member(std::string_view text, std::span<const std::string_view> path,
                                    const boost::json::value& value);

// As a person would write it, objects over several lines; `indent` is that of its first line.
std::string laid_out(const boost::json::value& value, std::string_view indent = "");

}  // namespace talaria::front::cli
