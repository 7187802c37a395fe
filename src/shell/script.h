// The texts that bash gets around the command of a user.
//
// A command runs as a real `bash -c COMMAND`. BASH_ENV makes bash read our prelude first: it loads
// functions and aliases, then reads a pipe, through which the "go" text comes when the command is
// known. So a shell can be started early and wait in its prelude (a warm
// shell); its -c argument is room that the runner overwrites with the command meanwhile. Variables
// come in the environment. An EXIT trap dumps the state into a file of the runner's.
//
// The prelude is a file named `bash` in a directory of its own, and the shell starts in there: bash
// names that file in the errors of every function it defines, and they shall read
// "bash: line 3: ..." as they do without us. The go text leads to the command's directory.
//
// Nothing here is visible to the command: no descriptor, no variable, no function, no eval level.
// docs/internals/shell.md lists the few differences to a plain `bash -c` that remain.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "shell/state.h"

namespace talaria::shell {

// How long a command may be that is written into a waiting shell's -c argument, bytes.
inline constexpr std::size_t kCommandRoom = 4 * 1024;

// The longest single argument Linux passes (MAX_ARG_STRLEN), less its NUL.
inline constexpr std::size_t kLongestArgument = 128 * 1024 - 1;

// The -c argument of a shell that starts before its command is known.
std::string command_room();

// The -c argument of a shell that starts for `command`: the command itself, or, when no argument
// may be that long, a line that evaluates $BASH_EXECUTION_STRING.
std::string command_argument(std::string_view command);

inline constexpr std::string_view kPreludeName = "bash";

// The environment of a shell that starts from `state`, as execve takes it: NAME=value strings, each
// with its NUL. go_variable() is the one more that differs from shell to shell.
std::string environment_block(const ShellState& state);

// The variable that names the pipe on which a shell waits for its line.
std::string go_variable(const std::string& go_pipe);

// How the prelude defines functions. Plain text is quickest; but bash cannot always read back what
// it printed itself, and one such function would end the prelude. Guarded, each stands by itself.
enum class Definitions { plain, guarded };

// Loads what the environment cannot carry, then waits for the go text and evaluates it. If the
// runner goes away instead, the shell ends and runs nothing.
std::string prelude_text(const ShellState& state, Definitions definitions);

// False if a shell started from `from` cannot be brought to `to`: the prelude itself uses some
// words, and some of the environment counts only when a program starts.
bool can_become(const ShellState& from, const ShellState& to);

// Variables that a shell which was already started cannot get, or cannot get as if it had started
// with them.
bool is_fixed_at_start(std::string_view name);

struct Dispatch {
  std::string_view command;
  bool set_execution_string = false;  // the -c argument was room, or is too long to be one
  bool restart_clock = false;         // the shell has waited: $SECONDS must begin at 0
  std::string nonce;                  // marks the dump
  std::string dump_path;              // empty: the state is not wanted
  std::string errors_path;            // its standard error from now on; empty: as it is
  std::string directory_path;         // leads to the directory it must be in; empty: to none
};

// Brings a shell that was started from `from` to `to` and lets it continue with its -c argument.
std::string go_text(const ShellState& from, const ShellState& to, const Dispatch& dispatch);

// The go text goes through the pipe, if it is short and of characters that are one byte each; else
// a text that reads it from a file.
bool fits_go_pipe(std::string_view text);
std::string through_go_pipe(std::string_view text);
std::string read_go_file(const std::string& path);

// A command that mentions traps gets a function named `trap`, which keeps our EXIT trap beside the
// user's. Whether a dumped function is that helper of ours:
bool is_trap_helper(std::string_view name, const ShellFunction& function);

}  // namespace talaria::shell
