// The result of an exec, from how its process ended. No I/O.
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

// `source` of processes that are killed because their exec was cancelled.
inline constexpr std::string_view kCancelSource = "gateway.cancel";

// How the process ended, without its output.
void set_ended(ExecInfo& exec, const ProcessInfo& process);

// The reason is its only output.
void set_failed(ExecInfo& exec, std::string reason, int returncode = kExecNotRun);
void set_cancelled(ExecInfo& exec);

// Adds a line of ours to the output.
void add_line(ExecInfo& exec, std::string_view line);

// `tail` if that is all of the output (`tail_from` is 0); else `head`, a line that says how much is
// missing, and `tail`. Sets `truncated`, too.
void set_output(ExecInfo& exec, std::string_view head, std::string_view tail,
                std::uint64_t tail_from);

}  // namespace talaria::sandboxes
