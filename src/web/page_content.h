// The text of a fetched document: HTML becomes Markdown, text stays, anything else is an error.
#pragma once

#include <string_view>

#include "base/result.h"
#include "http/url.h"
#include "web/html_to_markdown.h"

namespace talaria::web {

Result<MarkdownPage> page_content(std::string_view body, std::string_view content_type,
                                  const http::Url& url);

}  // namespace talaria::web
