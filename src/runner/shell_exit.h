// ShellExit: how the process that was started as a shell has ended. bash replaces itself with the
// last program of a command. If a signal ends that program, the exit is what the shell would have
// made of it: 128+N, with the line that bash prints. If the shell itself is killed, it is the
// signal.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

#include "base/exit_status.h"
#include "runner/shell/shell_host.h"

namespace talaria::runner {

struct ShellExit {
  ExitStatus status;
  std::string line{};  // what bash would have printed; with its newline
};

struct EndedShell {
  pid_t pid = 0;
  int wait_status = 0;
  std::string_view program;  // its short name at the end, as the kernel has it; empty: unknown
  std::string_view command;  // empty: it prints no line
};

// A child of `parent` that has exited and was not reaped.
struct ExitedProcess {
  std::optional<int> wait_status;  // absent: it ran as another user, so the kernel does not say it
  std::string program;
};
std::optional<ExitedProcess> find_exited(pid_t pid, pid_t parent);

ShellExit shell_exit(const ShellHost& host, const EndedShell& ended);

// Whether SIGKILL ended it, or its last command: a shell that is alive reports that as 128 + 9.
bool is_sigkill(const ExitStatus& status);

}  // namespace talaria::runner
