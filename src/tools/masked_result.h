// What a tool tells beside output: an error in an engine's own words, the command of a process. A
// secret may stand in each, and a model reads it as well.
#pragma once

#include <boost/json/object.hpp>

namespace talaria::tool {

namespace json = boost::json;

// Masks secrets in the texts named `error`, `notices`, `message`, `command` and `description`, at
// any depth.
void mask_result(json::object& result);

}  // namespace talaria::tool
