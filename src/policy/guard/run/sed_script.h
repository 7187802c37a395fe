// What a script of sed does besides editing text: commands it runs, files it writes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/guard/run/seen_command.h"

namespace talaria::guard {

struct SedActions {
  std::vector<std::string> commands;  // `e command`
  bool runs_lines = false;            // `e` alone and s///e: what it reads becomes commands
  std::vector<std::string> files;     // of w, W and s///w
  std::string inserted;               // texts it puts in, a line each
  bool unknown = false;               // the script is known only when it runs
};

inline bool is_sed_program(std::string_view program) {
  return program == "sed" || program == "gsed";
}

SedActions read_sed_script(std::string_view script);

// Of all the scripts of a command.
SedActions sed_actions(const SeenCommand& command);

}  // namespace talaria::guard
