// The web_extract tool: pages as Markdown, by the built-in extractor or the service of the
// configuration. Its answer is {"results":[{"url","title","content","error"}]}, one for each URL in
// their order; `error` is null if all is well. An item may also have `blocked_by_policy`, or
// `reason` with more about the error.
#pragma once

#include <string_view>

#include "tools/tool.h"
#include "web/web_access.h"

namespace talaria::tool {

inline constexpr std::string_view kWebExtractDescription =
    "Read web pages as Markdown, the first 5000 characters of each. A page that cannot be "
    "fetched has an error; the others are returned. Scripts of a page are not run, and private "
    "networks are refused.";

inline constexpr std::string_view kWebExtractSchema = R"({
  "type": "object",
  "properties": {
    "urls": {"type": "array", "items": {"type": "string"}, "description": "At most five addresses, each with http:// or https://."}
  },
  "required": ["urls"]
})";

Task<json::object> web_extract(ToolCall call);

// The same with a web of the caller's choice.
Task<json::object> web_extract_in(web::WebAccess& access, json::object arguments,
                                  CancelToken cancel);

}  // namespace talaria::tool
