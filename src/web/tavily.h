// Tavily, which searches and extracts by key (TAVILY_API_KEY), at its own place or TAVILY_BASE_URL.
#pragma once

#include "web/provider.h"

namespace talaria::web {

Task<Result<std::vector<SearchHit>>> tavily_search(WebAccess& access, std::string query,
                                                   std::size_t limit);
Task<std::vector<ExtractedPage>> tavily_extract(WebAccess& access, std::vector<http::Url> urls);

}  // namespace talaria::web
