// The manual page, talaria(1), in the language of man(7).
#pragma once

#include <string>
#include <vector>

#include "front/cli/command_info.h"

namespace talaria::front::cli {

std::string man_page(const std::vector<CommandInfo>& commands);

}  // namespace talaria::front::cli
