// Shells and interpreters: which programs they are, and what a call of one runs.
#pragma once

#include <cstddef>
#include <string_view>

#include "policy/guard/run/seen_command.h"

namespace talaria::guard {

// bash, sh, …
bool is_shell(std::string_view program);
// More than a program with its options.
bool is_shell_text(std::string_view text);
// python3.11, perl, node, …
bool is_interpreter(std::string_view program);

// What a call of a shell runs: the text behind -c, a script, or its standard input.
struct ShellCall {
  bool has_text = false;      // with -c
  std::size_t text = 0;       // which word that is; none may be there
  std::size_t script = 0;     // which word names it; 0: it reads commands from its input
  bool runs_nothing = false;  // --version and its like
};
ShellCall read_shell_call(const SeenCommand& command);
// Whether it runs what comes from its standard input as commands or as a program: shells and
// interpreters without a script, remote shells, clients of databases, debuggers.
bool runs_what_it_reads(const SeenCommand& command);
// It starts a shell that reads commands from its input: su, sudo -s, newgrp, …
bool starts_shell(const SeenCommand& command);

}  // namespace talaria::guard
