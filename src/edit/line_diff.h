// Which lines two texts do not have in common: lines as numbers, equal ones the same number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace talaria::edit {

struct LineDiff {
  std::vector<bool> removed;  // by line of the old text
  std::vector<bool> added;    // by line of the new one; the others of both fit in order
};

// `steps` bounds the work of the search for the smallest difference.
LineDiff diff_lines(const std::vector<std::uint32_t>& before,
                    const std::vector<std::uint32_t>& after, std::size_t steps);

}  // namespace talaria::edit
