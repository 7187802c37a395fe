// A member of an object that should be text; empty if it is none, or not there.
#pragma once

#include <string>
#include <string_view>

#include <boost/json/object.hpp>

namespace talaria {

inline std::string text_in(const boost::json::object& object, std::string_view name) {
  const boost::json::value* value = object.if_contains(name);
  return value && value->is_string() ? std::string(value->get_string()) : "";
}

}  // namespace talaria
