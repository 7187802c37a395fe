// Commands that run other commands: which ones, as their own words say.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/guard/run/seen_command.h"

namespace talaria {

// A command or a shell text that another command runs.
struct InnerCommand {
  std::vector<SeenWord> words;  // of the command; or, of a text, the arguments behind it
  bool is_text = false;
  SeenWord text;
  bool elsewhere = false;
  bool reads_input = true;  // the standard input of the command around it is its own
};

std::vector<InnerCommand> inner_commands(const SeenCommand& command);

// bash, sh, …
bool is_shell(std::string_view program);
// python3.11, perl, node, …
bool is_interpreter(std::string_view program);

// Of a shell: which word is its script or /dev/stdin; 0: it reads commands from its input.
// Nothing: -c says what it runs.
struct ShellCall {
  bool has_text = false;
  std::size_t text = 0;       // the word behind -c
  std::size_t script = 0;     // 0: standard input
  bool runs_nothing = false;  // --version and its like
};
ShellCall read_shell_call(const SeenCommand& command);

// The names of all commands that run others, for a name that is known only in part.
std::vector<std::string_view> running_programs();

}  // namespace talaria
