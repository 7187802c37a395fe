// The reference of the command line in Markdown: docs/reference/cli.md.
#pragma once

#include <string>
#include <vector>

#include "front/cli/command_info.h"

namespace talaria::front::cli {

std::string markdown_page(const std::vector<CommandInfo>& commands);

}  // namespace talaria::front::cli
