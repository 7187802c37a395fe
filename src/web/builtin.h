// The built-in extractor: fetches a page and converts it to Markdown. It checks every address
// before it connects, also after a redirect, and does not resolve a name again in between.
#pragma once

#include "web/provider.h"

namespace talaria::web {

inline constexpr std::string_view kBlockedAddress =
    "Blocked: URL targets a private or internal network address";

ExtractedPage blocked_address(std::string reason);
ExtractedPage blocked_site(BlockedSite site);

Task<std::vector<ExtractedPage>> builtin_extract(WebAccess& access, std::vector<http::Url> urls);

}  // namespace talaria::web
