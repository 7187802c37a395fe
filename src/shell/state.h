// What a session remembers between commands, and how one command changes it.
//
// A ShellState is everything a shell starts from. A session keeps a SessionState: for variables
// only the difference to what the caller passes (set or unset), for the rest the whole. A command
// starts from SessionState::over(caller's environment), ends with a ShellState read from bash's own
// dump, and merge() applies what it changed, name by name, to the session as it is by then: of two
// commands that ran at the same time both keep their changes, and for one name the last finisher
// wins.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/shared_map.h"

namespace talaria::shell {

struct ShellFunction {
  std::string text;  // as `declare -f` prints it
  bool exported = false;
  bool operator==(const ShellFunction&) const = default;
};

using NameMap = SharedMap<std::string>;
using FunctionMap = SharedMap<ShellFunction>;
using OptionMap = SharedMap<bool>;

struct ShellState {
  NameMap variables;  // the exported ones
  FunctionMap functions;
  NameMap aliases;    // name to value
  OptionMap options;  // those that differ from bash's own defaults; `set -o` names as "-o NAME",
                      // shopt plain
  std::optional<int> umask;
  std::string cwd;

  bool operator==(const ShellState&) const = default;
};

// The options bash starts with, to find out which ones a command changed.
struct ShellDefaults {
  std::vector<std::string> set_options;    // of $SHELLOPTS
  std::vector<std::string> shopt_options;  // of $BASHOPTS
};

struct SessionState {
  SharedMap<std::optional<std::string>> variables;  // nullopt: unset
  FunctionMap functions;
  NameMap aliases;
  OptionMap options;
  std::optional<int> umask;
  std::string cwd;

  // What a command of this session starts from, given the environment its caller passes. Names that
  // belong to the call (session identity, trace context) always come from the caller.
  ShellState over(const NameMap& caller) const { return with(variables_over(caller)); }
  // Its variables, and the rest of it.
  NameMap variables_over(const NameMap& caller) const;
  ShellState with(NameMap all_variables) const;

  // Applies what a command changed between `before` and `after`. True if anything did.
  bool merge(const ShellState& before, const ShellState& after);

  bool operator==(const SessionState&) const = default;
};

// Variables that are bash's own bookkeeping or belong to the call: never part of a session.
bool is_session_variable(std::string_view name);

// The names is_session_variable() refuses, as a pattern of the shell: "_|PWD|HERMES_SESSION_*|...".
std::string unsaved_variables();

// Who asks and the trace it belongs to: never the session's to say.
bool comes_with_call(std::string_view name);

// Takes functions out of `after` that came in the caller's environment: they are the caller's.
void drop_inherited_functions(const ShellState& before, ShellState& after);

// "NAME=value" strings as a map; entries without '=' are dropped, of duplicates the first wins.
NameMap parse_environment(const std::vector<std::string>& entries);

}  // namespace talaria::shell
