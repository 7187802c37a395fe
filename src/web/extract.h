// Extracts pages with any provider, after the checks that apply to all of them.
#pragma once

#include <string>
#include <vector>

#include "web/provider.h"

namespace talaria::web {

// One page for each URL, in their order; one that could not be fetched has an error.
Task<std::vector<ExtractedPage>> extract_pages(WebAccess& access, const Provider& provider,
                                               std::vector<std::string> urls);

}  // namespace talaria::web
