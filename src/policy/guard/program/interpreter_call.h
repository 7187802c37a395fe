// What a call of an interpreter runs: programs that are given with it, a file, or its input.
#pragma once

#include <string>
#include <vector>

#include "policy/guard/run/seen_command.h"

namespace talaria::guard {

struct InterpreterCall {
  std::vector<std::string> programs;  // of -c, -e, -r and their like
  std::size_t file = 0;               // which word names it; 0: none does
  bool reads_input = false;           // the program is read from its input
  std::size_t arguments = 0;          // the first word that the program gets
  bool filters = false;               // -n, -p and -i of perl and ruby: it is applied to lines
};

InterpreterCall read_interpreter_call(const SeenCommand& command);

}  // namespace talaria::guard
