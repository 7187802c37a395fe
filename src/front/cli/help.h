// What --help prints.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "front/cli/command_info.h"

namespace talaria::front::cli {

inline constexpr std::string_view kAbout =
    "Talaria runs an AI agent's commands, here or at a target, and keeps their sessions.";

std::string help(const CommandInfo& command);

// Of the program; or of the commands of one group ("env").
std::string overview(const std::vector<CommandInfo>& commands, std::string_view group = {});

// A variable or file that every command looks at.
struct Outside {
  std::string_view name;
  std::string_view meaning;
};
std::vector<Outside> outside_variables();
std::vector<Outside> outside_files();

}  // namespace talaria::front::cli
