// The mark some editors put in front of a text in UTF-8. It belongs to the file, not to its text.
#pragma once

#include <string_view>

namespace talaria {

inline constexpr std::string_view kBom = "\xEF\xBB\xBF";

inline std::string_view without_bom(std::string_view text) {
  return text.starts_with(kBom) ? text.substr(kBom.size()) : text;
}

}  // namespace talaria
