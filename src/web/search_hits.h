// The results in a service's answer.
#pragma once

#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

#include "json/fields.h"
#include "web/provider.h"

namespace talaria::web {

// What of `results` has a URL, `limit` at most. `description`: what their text is called.
std::vector<SearchHit> hits_of(const json::array* results, std::string_view description,
                               std::size_t limit);

}  // namespace talaria::web
