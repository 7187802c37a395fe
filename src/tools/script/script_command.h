// The shell text that starts a script at its target: it finds a Python, removes variables that are
// not for scripts, and executes the interpreter.
#pragma once

#include <set>
#include <string>

#include "environment/command.h"

namespace talaria::tool {

struct ScriptCommand {
  bool strict = false;  // in the script's own directory, with the default interpreter
  std::string python;   // the default interpreter; empty: python3 on the PATH there
  std::string time_zone;
  std::set<std::string> passed;  // names of variables that it gets whatever they are called
};

std::string script_command(const ScriptCommand& script);

// Whether it ended because there is no such Python.
bool lacks_python(const environment::CommandOutcome& outcome);

}  // namespace talaria::tool
