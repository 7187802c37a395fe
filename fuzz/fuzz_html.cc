// Any page: it becomes valid text in bounded time and size, or an error.

#include <string>

#include "base/text.h"
#include "fuzz/input.h"
#include "web/html_to_markdown.h"
#include "web/page_content.h"

namespace talaria {
namespace {

void check(Input input) {
  constexpr std::string_view kTypes[] = {"text/html", "text/html; charset=shift_jis", "",
                                         "text/plain"};
  const std::string_view type = kTypes[input.choice() % std::size(kTypes)];
  static const http::Url kBase = *http::parse_url("https://example.com/a/b");
  const auto page = web::page_content(input.rest(), type, kBase);
  if (!page) return;
  require(is_valid_utf8(page->content));
  require(is_valid_utf8(page->title));
}

}  // namespace
}  // namespace talaria

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  talaria::check(talaria::Input(data, size));
  return 0;
}
