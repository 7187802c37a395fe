// Words of programs that start, delete or evaluate: for text that cannot be read with certainty.
#pragma once

#include <string_view>

namespace talaria::guard {

// One of them is a word of the text.
bool has_risky_word(std::string_view text);
// And a bracket follows it.
bool has_risky_call(std::string_view text);

}  // namespace talaria::guard
