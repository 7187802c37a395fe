// Every command there is. To add one: write its file here, then its line in all_commands().
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "front/cli/command_info.h"

namespace talaria::front::cli {

CommandInfo exec_command();
CommandInfo call_command();
CommandInfo code_command();
CommandInfo start_command();
CommandInfo ps_command();
CommandInfo logs_command();
CommandInfo attach_command();
CommandInfo kill_command();
CommandInfo wait_command();
CommandInfo events_command();
CommandInfo approvals_command();
CommandInfo approve_command();
CommandInfo deny_command();
CommandInfo audit_command();
CommandInfo tools_command();
CommandInfo env_list_command();
CommandInfo env_show_command();
CommandInfo env_remove_command();
CommandInfo env_override_command();
CommandInfo stop_command();
CommandInfo serve_command();
CommandInfo token_add_command();
CommandInfo token_list_command();
CommandInfo token_revoke_command();
CommandInfo mcp_command();
CommandInfo mcp_install_command();
CommandInfo guard_explain_command();
CommandInfo doctor_command();
CommandInfo config_command();
CommandInfo version_command();
CommandInfo completion_command();
CommandInfo help_command();
CommandInfo complete_command();

std::vector<CommandInfo> all_commands();

// The command that `words` begin with; null if they begin with none.
const CommandInfo* find_command(const std::vector<CommandInfo>& commands,
                                std::span<const std::string> words);

// Commands of two words share their first ("env"): what that is about, "" if it is no such word.
std::string_view group_summary(std::string_view word);

// How many words the command's name has.
std::size_t name_size(const CommandInfo& command);

// Whether its first word is `group`; every command is in the group "".
bool in_group(const CommandInfo& command, std::string_view group);

}  // namespace talaria::front::cli
