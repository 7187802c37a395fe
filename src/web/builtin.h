// The built-in extractor: fetches a page itself and makes Markdown of it. Every address it connects
// to, also behind a redirect, is one it has checked, and no name is looked up twice in between.
#pragma once

#include "web/provider.h"

namespace talaria::web {

inline constexpr std::string_view kBlockedAddress =
    "Blocked: URL targets a private or internal network address";

ExtractedPage blocked_address(std::string reason);
ExtractedPage blocked_site(BlockedSite site);

Task<std::vector<ExtractedPage>> builtin_extract(WebAccess& access, std::vector<http::Url> urls);

}  // namespace talaria::web
