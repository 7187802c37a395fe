// Command and Outcome: what to run, and how it ended.
#pragma once

#include <talaria/export.h>
#include <talaria/input.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace talaria {

struct Command {
  std::string text = {};                 // shell text, as for bash -c
  std::optional<std::string> task = {};  // the session it continues; absent: it has no session
  // Who is asking: approvals and events carry it. Empty: as the configuration says.
  std::string session_key = {};
  std::optional<std::string> workdir = {};  // for this command only; the session's own if absent
  // Where a session that is new begins; empty: as configured.
  std::string first_directory = {};
  std::chrono::milliseconds timeout{0};  // 0: none
  // NAME=value: more variables, which the session does not remember.
  std::vector<std::string> variables = {};
  std::optional<std::string> stdin_data = {};  // absent: /dev/null
  // More input, after stdin_data: what can be read here, to its end, as fast as the command takes
  // it. Stays the caller's, who keeps it open until the call has ended.
  std::optional<int> stdin_fd = {};
  // The same as a stream that the program writes; not together with stdin_fd.
  std::optional<Input> input = {};
  // The program vouches for it: nobody is asked even if it is dangerous. Commands that are never
  // allowed are still refused.
  bool force = false;
  // Called with the output as it is printed, never twice at once: on the thread that waits in
  // run(), else on one of the runtime's threads for this. The outcome then has no output. A slow
  // callback slows the command down, and no other. If it throws, the command is cancelled and the
  // call fails with what it threw.
  std::function<void(std::string_view)> on_output = {};
  // The same for standard error, which on_output then does not get. Needs on_output. The order of
  // what the two get is kept as far as it is known.
  std::function<void(std::string_view)> on_errors = {};
  // Without on_output: Outcome::errors gets what is printed to standard error, and Outcome::output
  // does not.
  bool errors_apart = false;
  // Outcome::output and errors are the bytes that were printed, which need not be UTF-8.
  bool raw_output = false;
  // How much of each the outcome has at most, in characters, or in bytes of raw output. 0: as
  // tool_output.max_bytes says.
  std::size_t max_output = 0;
  // False: what it changes (directory, variables, ...) is not kept in its session.
  bool changes_session = true;
  // The user of the target as whom it runs, by name or number; empty: the one of all commands.
  std::string user = {};
  // False: if a person has to be asked, the question is put into the queue, and the call fails with
  // ErrorReason::pending.
  bool waits_for_approval = true;
  std::string id = {};  // as in CallContext
};

// Shell text that passes each argument unchanged: {"echo", "$HOME"} prints $HOME.
TALARIA_API std::string quote_arguments(const std::vector<std::string>& arguments);

enum class CommandEnd { exited, timed_out, interrupted };

// A process that could not be killed.
struct Leftover {
  int pid = 0;
  std::string name = {};
  std::string reason = {};
};

struct Outcome {
  CommandEnd ended = CommandEnd::exited;
  int exit_code = 0;        // its own, or -N for death by signal N; 124 timed out, 130 interrupted
  std::string output = {};  // valid UTF-8; its beginning and end if there was too much
  bool truncated = false;   // output is missing; tool_output.max_bytes is the limit
  std::uint64_t output_bytes = 0;     // printed in all
  std::string errors = {};            // if they were kept apart: like output
  std::uint64_t errors_bytes = 0;     // this, too
  std::string full_output_path = {};  // at the target; empty if the whole output was not stored
  std::string cwd = {};               // the session's directory afterwards
  std::chrono::microseconds duration{0};
  std::vector<Leftover> survivors = {};
  std::uint32_t background_children = 0;  // processes of the command that still run
  bool oom_killed = false;                // because the memory of the target was used up
  std::vector<std::string> notices = {};  // what the caller should know: recovered cwd, lost state
  std::string target = {};                // "local", ...
  std::string transport = {};             // how it was reached: "link", "batch" or "plain"

  // 0 to 255, as a shell has it: 128+N for signal N.
  int shell_exit_code() const { return exit_code < 0 ? 128 - exit_code : exit_code; }
};

}  // namespace talaria
