// Converts a page of HTML to readable Markdown: its main part, without navigation, scripts and
// hidden text.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "http/url.h"

namespace talaria::web {

struct MarkdownPage {
  std::string title;
  std::string content;
};

// `html` is UTF-8; `base` is where it was found, for its links. An error if it is too complicated.
Result<MarkdownPage> html_to_markdown(std::string_view html, const http::Url& base);

}  // namespace talaria::web
