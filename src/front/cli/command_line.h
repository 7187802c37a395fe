// What the words after `talaria` ask for.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "front/cli/call_front.h"
#include "front/cli/config_front.h"
#include "front/cli/exec_front.h"

namespace talaria {

struct LinesOptions {
  std::vector<ConfigFlag> settings;
};

// Nothing to do but to say something: help, the version, or what was wrong.
struct ShowText {
  std::string text;
  int exit_code = 0;  // 0: for standard output, else for standard error
};

using CommandLine = std::variant<ShowText, ExecOptions, CallOptions, LinesOptions, ConfigOptions>;

// `words` without the program's own name.
CommandLine parse_command_line(std::vector<std::string> words);

}  // namespace talaria
