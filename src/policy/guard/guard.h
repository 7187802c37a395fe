// The guard: what a command would run, and whether somebody has to be asked first. It only reads:
// nothing is executed. Of files, only links are looked at (GuardContext::links).
#pragma once

#include <string_view>

#include "policy/guard/context.h"
#include "policy/guard/judgement.h"

namespace talaria::guard {

Judgement judge(std::string_view command, const GuardContext& context = {});

// The same for a program of another language, which `interpreter` runs. The context has no aliases
// or functions.
Judgement judge_program(std::string_view program, std::string_view interpreter,
                        const GuardContext& context = {});

}  // namespace talaria::guard
