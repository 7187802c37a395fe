// Options: what a Runtime is made from. Whatever they do not say comes from the environment and
// from the files in TALARIA_HOME, as for the talaria program.
#pragma once

#include <talaria/hooks.h>

#include <optional>
#include <string>
#include <vector>

namespace talaria {

// A setting by the name `talaria config` shows ("TERMINAL_ENV", "tool_output.max_bytes") and its
// value as one would write it in the environment. It wins over every other place.
struct GivenSetting {
  std::string name;
  std::string value;
  std::string place = {};  // what to call it in a message ("--target"); empty: its name
};

// How long an idle runner waits for somebody to come back, when TERMINAL_LIFETIME_SECONDS does not
// say: a program that serves an agent stays as long as the agent does, a command line is gone in a
// moment and the next one wants to find its sessions.
enum class Lifetime { agent, command_line };

struct Options {
  std::vector<GivenSetting> settings;
  // NAME=value, for every command, beside the variables of this process. Names of the agent's
  // secrets do not pass, except as _HERMES_FORCE_NAME.
  std::vector<std::string> variables;
  // Names of variables that commands get from <home>/.env, which no command sees otherwise.
  std::vector<std::string> pass_through;
  std::optional<std::string> cwd;  // instead of this process's directory
  Lifetime lifetime = Lifetime::agent;
  std::string name = "program";  // what the audit log calls it
  // Questions to a person (about a dangerous command; the password of sudo, also with
  // HERMES_INTERACTIVE) may go to the terminal that controls this process, if there is one.
  bool ask_at_terminal = false;
  Hooks hooks;
};

}  // namespace talaria
