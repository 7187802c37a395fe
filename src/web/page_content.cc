#include "web/page_content.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/text.h"
#include "web/charset.h"

namespace talaria::web {
namespace {

constexpr std::size_t kLookedAt = 1024;

struct ContentType {
  std::string type;     // "text/html"
  std::string charset;  // as written; may be empty
};

ContentType parse_type(std::string_view text) {
  const std::string lower = lower_case(text);
  ContentType result{.type = std::string(trim(std::string_view(lower).substr(0, lower.find(';'))))};
  if (const std::size_t at = lower.find("charset="); at != std::string::npos) {
    std::string_view value = std::string_view(lower).substr(at + 8);
    value = value.substr(0, value.find(';'));
    value = trim(value);
    if (value.size() >= 2 && value.front() == '"') value = value.substr(1, value.find('"', 1) - 1);
    result.charset = value;
  }
  return result;
}

bool is_html(std::string_view type) {
  return type == "text/html" || type == "application/xhtml+xml";
}

bool is_text(std::string_view type) {
  constexpr auto kTexts = std::to_array<std::string_view>(
      {"application/json", "application/xml", "application/javascript", "application/x-yaml",
       "application/yaml", "application/toml", "application/x-sh", "application/x-ndjson"});
  return type.starts_with("text/") || type.ends_with("+json") || type.ends_with("+xml") ||
         std::ranges::find(kTexts, type) != kTexts.end();
}

// A page that does not say what it is, or only that it is something.
std::string guessed_type(std::string_view body) {
  const std::string start = lower_case(trim(body.substr(0, kLookedAt)));
  if (start.contains('\0')) return "application/octet-stream";
  return start.starts_with("<!doctype html") || start.contains("<html") || start.contains("<body")
             ? "text/html"
             : "text/plain";
}

}  // namespace

Result<MarkdownPage> page_content(std::string_view body, std::string_view content_type,
                                  const http::Url& url) {
  ContentType type = parse_type(content_type);
  if (type.type.empty()) type.type = guessed_type(body);
  const bool html = is_html(type.type);
  if (!html && !is_text(type.type)) {
    return fail(ErrorKind::bad_request, "not a page of text: its type is " + type.type);
  }
  const std::string text = to_utf8(body, type.charset, html);
  if (!html) {
    if (text.contains('\0'))
      return fail(ErrorKind::bad_request, "not a page of text: it is binary");
    return MarkdownPage{.content = text};
  }
  Result<MarkdownPage> page = html_to_markdown(text, url);
  if (page && page->content.empty()) {
    return fail(ErrorKind::not_found, "the page has no text that can be read without running it");
  }
  return page;
}

}  // namespace talaria::web
