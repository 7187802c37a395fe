// Starting a shell and giving it its command. No event loop here: the descriptors of a Shell are
// for its owner to wait on.
//
// A Shell is started either for a command (launch with it, then dispatch) or ahead of one (a warm
// shell, which waits in its prelude until dispatch). Both become the same `bash -c COMMAND`.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/blocked_read.h"
#include "os/process_memory.h"
#include "os/pty.h"
#include "os/unique_fd.h"
#include "runner/shell/prelude.h"
#include "runner/shell/shell_host.h"
#include "runner/tree/reaper.h"
#include "shell/state.h"

namespace talaria::runner {

// A state that shells can be started from, shared by all that are.
struct PreparedState {
  shell::ShellState state;  // without what did not fit: that comes with the go text
  std::shared_ptr<const Prelude> prelude;
  std::string environment;  // environment_block() of the state
};

// `previous`, if its shells fit `state`; else a new one, with as much of `previous` as possible.
Result<std::shared_ptr<const PreparedState>> prepare_state(
    const ShellHost& host, shell::ShellState state,
    const std::shared_ptr<const PreparedState>& previous = nullptr);

struct Shell {
  std::shared_ptr<const PreparedState> start;  // what it was started from
  os::UniqueFd channel;                        // to its reaper
  os::UniqueFd output;                         // what the command prints
  os::UniqueFd errors;                         // its standard error, if that is kept apart
  os::UniqueFd errors_writer;                  // opened by the shell through our descriptor table
  os::UniqueFd stdin_writer;                   // set if it was launched with stdin or a terminal
  os::UniqueFd dump;                           // where it writes its state when it ends
  os::UniqueFd go_reader;                      // opened by the shell through our descriptor table,
  os::UniqueFd go_text;                        //   so these stay open as long as it lives; the
                                               //   latter only if it does not fit the pipe
  os::UniqueFd go_writer;
  std::string nonce;                       // marks the dump
  pid_t pid = -1;                          // the shell, once its reaper has reported it
  pid_t reaper = -1;                       // and the reaper itself
  int nursery = 0;                         // Nursery::generation() when it was started
  bool warm = false;                       // waits with room for a command
  std::optional<os::WindowSize> terminal;  // output and stdin_writer are its other end; as it began
  std::optional<os::InputId> input;        // what it reads, if that is a pipe of ours or a terminal
  std::optional<os::ArgumentMemory> arguments;  // once can_take() has opened them

  Result<void> open_errors(bool apart);  // before dispatch()
  void let_go_of_texts();                // it has ended, and its dump was read
};

struct LaunchOptions {
  std::optional<std::string_view> command;  // absent: a warm shell
  bool with_stdin = false;
  std::optional<os::WindowSize> terminal;  // in place of pipes
};

Result<Shell> launch_shell(const ShellHost& host, std::shared_ptr<const PreparedState> start,
                           const LaunchOptions& options);

// Opens the memory of a warm shell, if it was not done before. False: it cannot be written, or not
// yet.
bool open_room(Shell& shell);

// True if a warm shell can take this command: it fits the room, and the shell's memory is open.
bool can_take(Shell& shell, const shell::ShellState& to, std::string_view command);

// Lets the shell run `command` from the state `to`. `keep_state`: it shall dump its state.
Result<void> dispatch(const ShellHost& host, Shell& shell, const shell::ShellState& to,
                      std::string_view command, bool keep_state, int judged_directory = -1);

// What the reaper reported next, if anything; nullopt inside when nothing is there. An error of
// kind unavailable when the reaper is gone. Takes note of the shell's pid by itself.
Result<std::optional<FromReaper>> next_report(Shell& shell);

Result<void> order_kill(const Shell& shell, std::uint32_t grace_ms);
Result<void> order_signal(const Shell& shell, int signal);

// The state it ended with. Error: it left none (killed, exec, ...).
Result<shell::ShellState> read_dump(const ShellHost& host, const Shell& shell);

}  // namespace talaria::runner
