#include "front/cli/commands/commands.h"

#include <algorithm>

namespace talaria::front::cli {

std::vector<CommandInfo> all_commands() {
  return {exec_command(),         start_command(),       ps_command(),
          logs_command(),         attach_command(),      wait_command(),
          kill_command(),         events_command(),      approvals_command(),
          approve_command(),      deny_command(),        audit_command(),
          call_command(),         code_command(),        tools_command(),
          env_list_command(),     env_show_command(),    env_remove_command(),
          env_override_command(), stop_command(),        serve_command(),
          token_add_command(),    token_list_command(),  token_revoke_command(),
          mcp_command(),          mcp_install_command(), guard_explain_command(),
          doctor_command(),       config_command(),      version_command(),
          completion_command(),   help_command(),        complete_command()};
}

std::size_t name_size(const CommandInfo& command) { return command.name.contains(' ') ? 2 : 1; }

const CommandInfo* find_command(const std::vector<CommandInfo>& commands,
                                std::span<const std::string> words) {
  if (words.empty()) return nullptr;
  const std::string two = words.size() > 1 ? words[0] + " " + words[1] : "";
  // "mcp install" is not "mcp" with a word behind it.
  auto found = std::ranges::find(commands, two, &CommandInfo::name);
  if (found == commands.end()) found = std::ranges::find(commands, words[0], &CommandInfo::name);
  return found == commands.end() ? nullptr : &*found;
}

std::string_view group_summary(std::string_view word) {
  if (word == "env") return "Environments: what runs and where, and what was set for a task";
  if (word == "guard") return "The guard: what a command would run, and who has to be asked";
  if (word == "token") return "Tokens: who may use the gateway";
  return "";
}

bool in_group(const CommandInfo& command, std::string_view group) {
  return group.empty() ||
         (command.name.starts_with(group) && command.name.substr(group.size()).starts_with(' '));
}

}  // namespace talaria::front::cli
