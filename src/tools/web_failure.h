// What both web tools answer when they fail.
#pragma once

#include <string_view>

#include <boost/json/object.hpp>

namespace talaria::tool {

inline boost::json::object web_failure(std::string_view error) {
  return {{"success", false}, {"error", error}};
}

}  // namespace talaria::tool
