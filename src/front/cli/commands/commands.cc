#include "front/cli/commands/commands.h"

#include <algorithm>

namespace talaria::front::cli {

std::vector<CommandInfo> all_commands() {
  std::vector<CommandInfo> all;
  for (const auto theme : {process_commands, approval_commands, tool_commands, env_commands,
                           server_commands, other_commands}) {
    for (CommandInfo& command : theme()) all.push_back(std::move(command));
  }
  return all;
}

std::size_t name_size(const CommandInfo& command) { return command.name.contains(' ') ? 2 : 1; }

const CommandInfo* find_command(const std::vector<CommandInfo>& commands,
                                std::span<const std::string> arguments) {
  if (arguments.empty()) return nullptr;
  const std::string two = arguments.size() > 1 ? arguments[0] + " " + arguments[1] : "";
  // "mcp install" is not "mcp" with an argument.
  auto found = std::ranges::find(commands, two, &CommandInfo::name);
  if (found == commands.end()) {
    found = std::ranges::find(commands, arguments[0], &CommandInfo::name);
  }
  return found == commands.end() ? nullptr : &*found;
}

std::string_view group_summary(std::string_view word) {
  if (word == "env") return "Manage environments and task overrides";
  if (word == "grants") return "Manage grants: approvals that cover more than one call";
  if (word == "guard") return "Show which commands need approval, and why";
  if (word == "token") return "Manage the tokens of the gateway";
  return "";
}

bool in_group(const CommandInfo& command, std::string_view group) {
  return group.empty() ||
         (command.name.starts_with(group) && command.name.substr(group.size()).starts_with(' '));
}

}  // namespace talaria::front::cli
