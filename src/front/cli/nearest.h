// Suggestions for misspelled names.
#pragma once

#include <span>
#include <string_view>

namespace talaria::front::cli {

// The one of `known` that is most similar to `typed`; empty: none is similar.
std::string_view nearest(std::string_view typed, std::span<const std::string_view> known);

}  // namespace talaria::front::cli
