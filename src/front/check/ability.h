// Abilities: what a way to a target can do at all. Each transport declares its own here, so that a
// case it was never meant to pass is shown as absent with the reason, and one that it was meant to
// pass can only pass or fail.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace talaria::front::check {

enum class Ability {
  commands,     // one after the other, with their output and exit code
  sessions,     // what a command changes in its shell is there for the next
  input,        // for a command in the foreground
  exact_bytes,  // output byte for byte, as it comes, in any amount
  files,        // read, written, searched and changed by the file tools
  full_output,  // what is too much to show is kept in a file at the target
  trees,        // a timeout, a cancel or a kill ends all that a command started
  concurrency,  // commands of one session at the same time, merged
  processes,    // in the background: start, poll, wait, log, input, kill
  cursors,      // what a process printed, by position and more than once
  terminals,    // processes on a terminal of their own
  events,       // what happens to processes is told
  controllers,  // several programs share sessions and processes
  scripts,      // that call tools
};

// What it is, for people: "processes in the background".
std::string_view ability_text(Ability ability);

// Why a target that is reached over `transport` ("link", "batch", "plain") has no such ability;
// nothing if it has it. A transport nobody declared has all: its cases then say what it lacks.
std::optional<std::string> absent_because(Ability ability, std::string_view transport);

}  // namespace talaria::front::check
