// What a script of sed or awk does besides editing text: commands it runs, files it writes.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "policy/guard/run/seen_command.h"

namespace talaria::guard {

struct FilterActions {
  std::vector<std::string> commands;  // `e command` of sed, print | "command" of awk
  std::vector<std::string> files;     // w, W and s///w of sed, print > "file" of awk
  std::vector<std::string> read;      // r and R of sed, getline < "file" of awk
  std::string inserted;               // texts sed puts in, a line each
  // What it reads or computes becomes commands: `e` alone, s///e; system(…), | getline, @load
  bool runs_commands = false;
  bool unknown = false;  // the script is known only when it runs
};

inline bool is_sed_program(std::string_view program) {
  return program == "sed" || program == "gsed";
}
inline bool is_awk_program(std::string_view program) {
  return program.ends_with("awk") && program.size() <= 12;  // gawk, mawk, nawk, original-awk
}

FilterActions read_sed_script(std::string_view script);
// `values`: of the variables that are set for it.
FilterActions read_awk_script(std::string_view script,
                              const std::map<std::string, std::string, std::less<>>& values = {});

// Of all the scripts of a command of sed or awk.
FilterActions filter_actions(const SeenCommand& command);

}  // namespace talaria::guard
