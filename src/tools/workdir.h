// Which directories a call may name: simple paths, so that nobody takes one for shell text. Letters
// of any script are fine.
#pragma once

#include <string>
#include <string_view>

namespace talaria::tool {

// What is wrong with `workdir` (valid UTF-8), for the model to read; empty if nothing is.
std::string workdir_flaw(std::string_view workdir);

}  // namespace talaria::tool
