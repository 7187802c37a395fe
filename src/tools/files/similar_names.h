// Names that are similar to one that does not exist.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace talaria::tool {

inline constexpr std::size_t kMostSimilar = 5;  // names that are suggested

// At most `most`, the likeliest first.
std::vector<std::string> similar_names(std::string_view wanted,
                                       const std::vector<std::string>& names, std::size_t most);

// The same for a directory that was to be searched: looser.
std::vector<std::string> similar_directories(std::string_view wanted,
                                             const std::vector<std::string>& names,
                                             std::size_t most);

}  // namespace talaria::tool
