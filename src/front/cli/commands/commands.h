// Every command. To add one: describe it in the file of its theme here.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "front/cli/command_info.h"

namespace talaria::front::cli {

std::vector<CommandInfo> process_commands();   // exec, start, ps, logs, ...
std::vector<CommandInfo> approval_commands();  // approvals, approve, deny, grants ..., audit
std::vector<CommandInfo> tool_commands();      // call, code, tools
std::vector<CommandInfo> env_commands();       // env ..., stop
std::vector<CommandInfo> server_commands();    // serve, token ..., mcp ...
std::vector<CommandInfo> other_commands();     // guard, doctor, config, help, ...

// All of the above, in the order of the help.
std::vector<CommandInfo> all_commands();

// The command that `arguments` begin with; null: there is none.
const CommandInfo* find_command(const std::vector<CommandInfo>& commands,
                                std::span<const std::string> arguments);

// Commands of two words share the first word ("env"): the summary of that group. "" for any other
// word.
std::string_view group_summary(std::string_view word);

// The number of words in the name of the command.
std::size_t name_size(const CommandInfo& command);

// Whether its first word is `group`; every command is in the group "".
bool in_group(const CommandInfo& command, std::string_view group);

}  // namespace talaria::front::cli
