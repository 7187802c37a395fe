// Whether something was sent by a command that Talaria runs on this machine. Such a process does
// not answer questions about commands: it would approve itself.
#pragma once

#include <sys/types.h>

namespace talaria::environment {

// A descendant of a runner, whatever its home; also if that has ended, or if it is in a namespace
// of its own.
bool is_command_process(pid_t pid);

// Whether the other end of a connected socket is one. True also if a process of this machine has
// made the connection and can no longer be found.
bool comes_from_command(int connection);

}  // namespace talaria::environment
