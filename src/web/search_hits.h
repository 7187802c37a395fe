// The results in a service's answer.
#pragma once

#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

#include "web/provider.h"

namespace talaria {

// A text of an object; empty if it has none of that name.
std::string text_field(const json::object& object, std::string_view name);

// Null unless it is an array.
const json::array* array_field(const json::value& value, std::string_view name);

// What of `results` has a URL, `limit` at most. `description`: what their text is called.
std::vector<SearchHit> hits_of(const json::array* results, std::string_view description,
                               std::size_t limit);

}  // namespace talaria
