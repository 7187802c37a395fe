// A makefile as a shell text: what make would run for its goals.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace talaria::guard {

// `goals`: the targets and the NAME=value that make is given; without targets it is the first.
// `any_blank`: a recipe's lines need not begin with a tab (just).
std::string makefile_script(std::string_view text, const std::vector<std::string>& goals,
                            bool any_blank);

}  // namespace talaria::guard
