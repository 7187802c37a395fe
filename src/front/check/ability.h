// Abilities: what a transport supports. A case that needs an ability that the transport lacks is
// shown as absent, with the reason; every other case passes or fails.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace talaria::front::check {

enum class Ability {
  commands,     // one after the other, with their output and exit code
  sessions,     // the next command sees what a command changed in its shell
  input,        // for a command in the foreground
  exact_bytes,  // output byte for byte, immediately, in any amount
  streams,      // standard error apart from standard output, input while the command runs
  files,        // read, written, searched and changed by the file tools
  full_output,  // output that is too long to show is stored in a file at the target
  trees,        // a timeout, a cancel or a kill ends all that a command started
  concurrency,  // commands of one session at the same time, merged
  processes,    // in the background: start, poll, wait, log, input, kill
  cursors,      // what a process printed, by position and more than once
  terminals,    // processes on a terminal of their own
  events,       // of processes are reported
  controllers,  // several programs share sessions and processes
  scripts,      // that call tools
};

// For people: "background processes".
std::string_view ability_text(Ability ability);

// Why `transport` ("link", "batch", "plain") lacks the ability; nothing if it has it. An unknown
// transport has all abilities.
std::optional<std::string> absent_because(Ability ability, std::string_view transport);

}  // namespace talaria::front::check
