// Pages by their URLs, from any provider: what holds for all of them is checked here.
#pragma once

#include <string>
#include <vector>

#include "web/provider.h"

namespace talaria::web {

// One page for each URL, in their order; what cannot be had says why.
Task<std::vector<ExtractedPage>> extract_pages(WebAccess& access, const Provider& provider,
                                               std::vector<std::string> urls);

}  // namespace talaria::web
