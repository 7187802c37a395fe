// SearXNG: a search engine people run themselves; SEARXNG_URL says where.
#pragma once

#include "web/provider.h"

namespace talaria::web {

Task<Result<std::vector<SearchHit>>> searxng_search(WebAccess& access, std::string query,
                                                    std::size_t limit);

}  // namespace talaria::web
