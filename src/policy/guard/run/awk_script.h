// What a program of awk does besides printing: commands it runs, files it writes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/guard/run/seen_command.h"

namespace talaria::guard {

struct AwkActions {
  std::vector<std::string> commands;  // print | "command"
  std::vector<std::string> files;     // print > "file"
  // system(…), "command" | getline, a pipe to what is only known then, @load
  bool runs_commands = false;
  bool unknown = false;  // the program is known only when it runs
};

inline bool is_awk_program(std::string_view program) {
  return program.ends_with("awk") && program.size() <= 12;  // gawk, mawk, nawk, original-awk
}

AwkActions read_awk_script(std::string_view script);

// Of the programs of a command.
AwkActions awk_actions(const SeenCommand& command);

}  // namespace talaria::guard
