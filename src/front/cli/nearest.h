// The word somebody may have meant.
#pragma once

#include <span>
#include <string_view>

namespace talaria::front::cli {

// The one of `words` that is nearest to what was typed; empty if none is near.
std::string_view nearest(std::string_view typed, std::span<const std::string_view> words);

}  // namespace talaria::front::cli
