// Commands that should not be run in the foreground: those that put work in the background by
// themselves, and servers that never end. Advice for a model, judged by what the text would run.
#pragma once

#include <string_view>

namespace talaria::tool {

// What to say instead of running it; empty if it may run. Without `has_background` the target runs
// no processes in the background, and `&` is the only way.
std::string_view foreground_guidance(std::string_view command, bool has_background = true);

}  // namespace talaria::tool
