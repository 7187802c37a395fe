// Commands that stand in the options, variables and settings of others.
#pragma once

#include <string_view>
#include <vector>

#include "policy/guard/run/inner.h"

namespace talaria::guard {

// What its options say.
void add_option_commands(const SeenCommand& command, std::vector<InnerCommand>& inner);

// NAME=value in its words: of env, export and their like.
std::vector<SeenAssignment> assignments_in(const SeenCommand& command);

// What the variables in front of it say.
void add_variable_commands(const std::vector<SeenAssignment>& variables,
                           std::vector<InnerCommand>& inner);

// What a variable with the name of a tool, such as CC of make, is set to.
void add_tool_command(std::string_view text, std::vector<InnerCommand>& inner);

// Whether some rule is about the variable, even if it is set for no command.
bool is_watched_variable(std::string_view name);
// Whether some program runs its value.
bool is_run_variable(std::string_view name);

// The values of an option in a command, wherever it stands; a long name may be shortened.
std::vector<SeenWord> option_values(const SeenCommand& command, char letter, std::string_view name);

// The sub-command of git, where it stands; the number of words: there is none.
std::size_t git_verb_at(const SeenCommand& command);

// Whether git runs what this setting (in whatever case) is set to.
bool is_run_setting(std::string_view key);

}  // namespace talaria::guard
