// What an environment is asked to run, and how it ended.
#pragma once

#include <talaria/command.h>
#include <talaria/process.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/exit_status.h"
#include "base/limits.h"
#include "base/output_flow.h"
#include "base/secret.h"
#include "base/shared_texts.h"
#include "environment/process_spec.h"
#include "environment/script_spec.h"
#include "shell/definitions.h"

namespace talaria::environment {

struct CommandSpec {
  std::string command;  // shell text
  std::string session;  // whose shell state it resumes; empty: no state is used or saved
  std::optional<std::string>
      workdir;                  // for this command only; absent: the directory of the session
  std::string first_cwd;        // where a new session starts
  std::string move_to;          // where the session changes to first, new or not; empty: it stays
  bool changes_session = true;  // false: what it changes is not kept in the session
  SharedTexts env;              // NAME=value: everything the command inherits on this machine
  SharedTexts carried_env;      // added to the environment of another target
  std::vector<std::string> caller_variables;  // of both: those that the caller of the command chose
  std::optional<std::uint32_t> umask;         // of a new session
  std::chrono::milliseconds timeout{0};       // 0: no limit
  // The background process that it becomes at its timeout; absent: it is killed then. Settings for
  // the start of a process are ignored, and its lifespan is that of its session.
  std::optional<ProcessSpec> if_handed_over;
  std::optional<std::string> stdin_data;  // absent: /dev/null
  std::optional<int> stdin_fd;            // borrowed; see Command::stdin_fd
  std::optional<Secret> sudo_password;    // for a sudo in it; needs a runner
  std::string shown_command;              // shown in lists; empty: the command
  std::uint64_t head_limit = 0;           // how much of the first output the result carries, bytes
  std::uint64_t tail_limit = 0;           // how much of the last
  std::uint64_t spill_quota = kDefaultSpillQuota;   // bytes of output that are stored at the target
  std::function<void(std::string_view)> on_output;  // if set, called with output as it is printed
  // If set, called about once a second while it runs, if it printed more, with its last
  // `recent_limit` bytes. Needs a runner.
  std::function<void(const ProcessInfo&)> on_recent_output;
  std::uint64_t recent_limit = 0;
  // If set, called with what is printed to standard error, which on_output then does not get.
  std::function<void(std::string_view)> on_errors;
  std::shared_ptr<OutputFlow> flow;  // if set, may hold up what these two get
  shell::JudgedStart judged;         // it runs only if this is so in its session
  std::optional<ScriptSpec> script;  // needs a runner
};

struct CommandOutcome {
  std::optional<shell::SessionDefinitions>
      unjudged;  // it was not started, because of these definitions
  CommandEnd ended = CommandEnd::exited;
  std::string handed_over;  // not empty: its timeout passed, and it keeps running as this process
  ExitStatus status;
  std::uint64_t total = 0;  // bytes printed
  std::string head;         // the first bytes; all of them when total <= head.size()
  std::string tail;         // the last bytes, starting at tail_from >= head.size()
  std::uint64_t tail_from = 0;
  std::chrono::microseconds duration{0};
  std::string cwd;               // the session's directory afterwards
  std::string spill_path;        // at the target; empty if nothing was spilled
  std::uint64_t spill_from = 0;  // which bytes the spill file holds: [spill_from, spill_to)
  std::uint64_t spill_to = 0;
  std::vector<Leftover> survivors;
  std::uint32_t background_children = 0;  // processes of the command that still run
  std::vector<std::string> notices;       // what the caller should know: recovered cwd, lost state
  bool oom_killed = false;                // because the memory of the target was used up
  bool sudo_rejected = false;             // the password was wrong
  // Of a script: the first bytes of its standard error. Of a command whose errors were kept apart:
  // likewise, and the last ones.
  std::string errors;
  std::string errors_tail;
  std::uint64_t errors_total = 0;
};

}  // namespace talaria::environment
