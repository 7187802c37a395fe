// ${name#pattern} and its like, on a value that is known.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/guard/run/seen_command.h"

namespace talaria::guard {

// The operation as it is written: "#", "//", ":", "^^", … An unknown piece alone where it cannot be
// told.
std::string apply_operation(const SeenWord& value, const std::string& operation,
                            const SeenWord& argument);

// ${array[@]:1:2}; of `arguments`, counting begins with $0. False: it cannot be told.
bool take_slice(std::vector<SeenWord>& items, const SeenWord& range, bool arguments);

// Whether `text` is what a pattern of the shell (* ? [a-z]) stands for. An unknown piece in the
// pattern stands for anything.
bool matches_pattern(std::string_view pattern, std::string_view text);

}  // namespace talaria::guard
