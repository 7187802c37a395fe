// Secrets in results outside of output: an error message of an engine, the command of a process.
#pragma once

#include <boost/json/object.hpp>

namespace talaria::tool {

namespace json = boost::json;

// Masks secrets in the texts named `error`, `notices`, `message`, `command` and `description`, at
// any depth.
void mask_result(json::object& result);

}  // namespace talaria::tool
