// Programs in other languages: which commands they run, which files they delete, as far as that is
// written in them. Python, Perl, Ruby, JavaScript, PHP, Lua, C, Go and others are read as one:
// names, strings and brackets are alike in all of them.
#pragma once

#include <string_view>

#include "policy/guard/instructions/instructions.h"

namespace talaria::guard {

// `program`: what runs it.
Instructions read_program(std::string_view text, std::string_view program);

}  // namespace talaria::guard
