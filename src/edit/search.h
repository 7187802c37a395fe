// Where one sequence occurs in another, in linear time whatever they hold: a file of ten million
// times the same byte is a file as well.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace talaria::edit {

// The positions in ascending order; hits may overlap. At most `most` of them. An empty needle
// occurs nowhere.
std::vector<std::size_t> occurrences(std::string_view hay, std::string_view needle,
                                     std::size_t most);
std::vector<std::size_t> occurrences(std::span<const std::string_view> hay,
                                     std::span<const std::string_view> needle, std::size_t most);

}  // namespace talaria::edit
