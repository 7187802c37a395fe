// Brave's search, by key (BRAVE_SEARCH_API_KEY).
#pragma once

#include "web/provider.h"

namespace talaria::web {

Task<Result<std::vector<SearchHit>>> brave_search(WebAccess& access, std::string query,
                                                  std::size_t limit);

}  // namespace talaria::web
