// The documentation that is generated from the descriptions of the commands: --help, the manual
// page talaria(1), and docs/reference/cli.md.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "front/cli/command_info.h"

namespace talaria::front::cli {

inline constexpr std::string_view kAbout =
    "Talaria runs shell commands for AI agents: here, in containers, over SSH or in cloud "
    "sandboxes.";

// The help of one command; of the program, or of one group of commands ("env").
std::string help(const CommandInfo& command);
std::string overview(const std::vector<CommandInfo>& commands, std::string_view group = {});

std::string man_page(const std::vector<CommandInfo>& commands);
std::string markdown_page(const std::vector<CommandInfo>& commands);

// What all three formats show.
using Terms = std::vector<std::pair<std::string, std::string>>;  // a term and its meaning
Terms argument_terms(const CommandInfo& command);
Terms option_terms(const CommandInfo& command);
Terms example_terms(const CommandInfo& command);
Terms exit_code_terms(const CommandInfo& command);
Terms concept_terms();
Terms target_terms();
Terms variable_terms();
Terms file_terms();
std::vector<std::string> usage_forms(const CommandInfo& command);  // "talaria logs [OPTIONS] ID"
std::vector<std::string_view> note_lines(std::string_view notes);

}  // namespace talaria::front::cli
