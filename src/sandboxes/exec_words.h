// How the end of a process is told as the end of an exec. No I/O.
#pragma once

#include <talaria/process.h>
#include <talaria/sandbox.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace talaria::sandboxes {

inline constexpr int kExecRefused = 126;
inline constexpr int kExecNotRun = 1;
inline constexpr int kExecCancelled = 130;
inline constexpr int kExecTimedOut = 124;

// On whose behalf execs are killed.
inline constexpr std::string_view kCancelSource = "gateway.cancel";

// What is known of a process that has ended, but for its output.
void tell_end(ExecInfo& exec, const ProcessInfo& process);

// It has no output but the reason.
void tell_failed(ExecInfo& exec, std::string reason, int returncode = kExecNotRun);
void tell_cancelled(ExecInfo& exec);

// The output as it is shown: all of it if `tail` is all of it, else `head`, a line that says how
// much is missing, and `tail`, of which the end is never cut. Sets `truncated`, too.
void tell_output(ExecInfo& exec, std::string_view head, std::string_view tail,
                 std::uint64_t tail_from);

}  // namespace talaria::sandboxes
