// perl and ruby with -n, -p or -e: which scripts they are given, and whether those do more than
// look at lines.
#pragma once

#include <string_view>
#include <vector>

#include "policy/guard/run/seen_command.h"

namespace talaria::guard {

struct LineScript {
  std::vector<std::string_view> scripts;  // of -e; they point into the command
  bool filters = false;                   // -n, -p, -i: they are applied to lines
  bool looks = false;                     // -v, -c: nothing runs
  bool has_file = false;                  // it is given the file of a script
  bool reads_input = false;               // "-"
};
LineScript read_line_script(const SeenCommand& command);

// Whether it calls what runs commands, deletes or opens files, or evaluates text.
bool calls_outside(std::string_view script);

}  // namespace talaria::guard
