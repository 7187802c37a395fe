// The web_search tool: asks the search engine of the configuration. Its answer is
// {"success":true,"data":{"web":[{"title","url","description","position"}]}} or
// {"success":false,"error"}.
#pragma once

#include <cstddef>
#include <string_view>

#include "tools/tool.h"
#include "web/web_access.h"

namespace talaria::tool {

inline constexpr std::string_view kWebSearchDescription =
    "Search the web. Returns titles, addresses and short descriptions; web_extract reads the "
    "pages. Operators of the search engine work (site:example.com, \"exact words\", -without).";

inline constexpr std::string_view kWebSearchSchema = R"({
  "type": "object",
  "properties": {
    "query": {"type": "string"},
    "limit": {"type": "integer", "description": "Number of results, at most 100 (default 5)."}
  },
  "required": ["query"]
})";

Task<json::object> web_search(ToolCall call);

// Whether a search engine is configured.
bool can_search_web(const host::Config& config);

// The same with a web of the caller's choice.
Task<json::object> web_search_in(web::WebAccess& access, json::object arguments,
                                 CancelToken cancel);

// `limit` as a number from 1 to 100. It may be a text; 5 if it is not a number.
std::size_t search_limit(const json::object& arguments);

}  // namespace talaria::tool
