// Options of a Runtime. Everything else comes from the environment and from the files in
// TALARIA_HOME, as for the talaria program.
#pragma once

#include <talaria/hooks.h>

#include <optional>
#include <string>
#include <vector>

namespace talaria {

// A setting by the name `talaria config` shows ("TERMINAL_ENV", "tool_output.max_bytes") and its
// value as in the environment. It takes precedence over every other place.
struct GivenSetting {
  std::string name = {};
  std::string value = {};
  std::string place = {};  // what to call it in a message ("--target"); empty: its name
};

// How long an idle runner lives if TERMINAL_LIFETIME_SECONDS is not set. A program that serves an
// agent stays connected. A command line ends at once, and the next one needs its sessions.
enum class Lifetime { agent, command_line };

struct Options {
  // Where configuration and state are; absent: TALARIA_HOME, else HERMES_HOME, else ~/.hermes.
  std::optional<std::string> home = {};
  std::vector<GivenSetting> settings = {};
  // NAME=value, for every command, besides the variables of this process. Names of the agent's
  // secrets are removed, except as _HERMES_FORCE_NAME.
  std::vector<std::string> variables = {};
  // Names of variables of <home>/.env that commands get.
  std::vector<std::string> pass_through = {};
  std::optional<std::string> cwd = {};  // an existing directory, instead of this process's
  Lifetime lifetime = Lifetime::agent;
  std::string name = "program";  // in the audit log
  // Questions to a person (about a dangerous command; the password of sudo, also with
  // HERMES_INTERACTIVE) may go to the terminal that controls this process, if there is one.
  bool ask_at_terminal = false;
  Hooks hooks = {};
};

}  // namespace talaria
