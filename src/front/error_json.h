// Errors as JSON, as every line and answer for a program has them.
#pragma once

#include <talaria/error.h>

#include <boost/json/object.hpp>

namespace talaria::front {

// {"kind","message"[,"reason"][,"denial"]}
boost::json::object describe(const Error& error);

}  // namespace talaria::front
