#include "web/page_text.h"

#include <algorithm>

#include "base/text.h"
#include "web/limits.h"

namespace talaria::web {
namespace {

constexpr std::size_t kMaxMediaTypeBytes = 80;
constexpr std::string_view kStart = "data:image/";
constexpr std::string_view kEncoded = ";base64,";

bool is_base64(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("+/=-_%").contains(c);
}

bool same_word(std::string_view text, std::string_view word) {
  return text.size() >= word.size() && lower_case(text.substr(0, word.size())) == word;
}

// How many bytes of an image `text` begins with; 0: it is none.
std::size_t image_size(std::string_view text) {
  if (!same_word(text, kStart)) return 0;
  const std::size_t stop = text.substr(0, kMaxMediaTypeBytes).find(',');
  if (stop == std::string_view::npos) return 0;
  if (lower_case(text.substr(stop + 1 - kEncoded.size(), kEncoded.size())) != kEncoded) return 0;
  const auto data = text.substr(stop + 1);
  return stop + 1 +
         static_cast<std::size_t>(std::ranges::find_if_not(data, is_base64) - data.begin());
}

std::string megabytes(std::size_t chars) {
  const std::size_t tenths = chars / 100'000;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + "MB";
}

}  // namespace

std::string without_inline_images(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const bool maybe = text[at] == 'd' || text[at] == 'D';
    if (const std::size_t size = maybe ? image_size(text.substr(at)) : 0; size > 0) {
      result += kImageRemoved;
      at += size;
    } else {
      result += text[at++];
    }
  }
  return result;
}

std::string shown_page(std::string_view text) {
  const std::size_t chars = count_chars(text);
  if (chars <= kMaxWebPageChars) return std::string(text);
  if (chars > kMaxWebReadableChars) {
    return "[Content too large to process: " + megabytes(chars) +
           ". Try a more focused source URL.]";
  }
  return std::string(first_chars(text, kMaxWebPageChars)) + "\n\n[Content truncated: the first " +
         with_commas(kMaxWebPageChars) + " of " + with_commas(chars) + " characters]";
}

}  // namespace talaria::web
