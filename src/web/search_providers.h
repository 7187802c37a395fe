// The providers that are services. Each is set up by a key or an address in the configuration.
#pragma once

#include "web/provider.h"

namespace talaria::web {

// BRAVE_SEARCH_API_KEY.
Task<Result<std::vector<SearchHit>>> brave_search(WebAccess& access, std::string query,
                                                  std::size_t limit);

// A search engine that people host themselves, at SEARXNG_URL.
Task<Result<std::vector<SearchHit>>> searxng_search(WebAccess& access, std::string query,
                                                    std::size_t limit);

// TAVILY_API_KEY; TAVILY_BASE_URL instead of its own address.
Task<Result<std::vector<SearchHit>>> tavily_search(WebAccess& access, std::string query,
                                                   std::size_t limit);
Task<std::vector<ExtractedPage>> tavily_extract(WebAccess& access, std::vector<http::Url> urls);

}  // namespace talaria::web
