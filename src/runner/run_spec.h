// RunSpec: one command and the conditions under which it runs, as its start asked for them.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "link/messages.h"
#include "os/unique_fd.h"
#include "runner/askpass/sudo_grant.h"
#include "runner/script/script_server.h"

namespace talaria::runner {

// ExitReport::source of a process that the runner ended on its own.
inline constexpr const char* kSourceLifetime = "lifetime";
inline constexpr const char* kSourceMaxAge = "max_age";
inline constexpr const char* kSourceStop = "runner_stop";

struct RunSpec {
  std::string process;
  std::string session;
  std::string command;
  std::chrono::milliseconds timeout{0};  // 0: none
  std::chrono::milliseconds grace{0};
  link::ProcessLifetime lifetime = link::ProcessLifetime::foreground;
  std::chrono::milliseconds max_age{0};  // 0: none; has no effect before a hand-over
  std::uint64_t started_ms = 0;          // since 1970
  std::string owner;
  std::vector<std::string> watch;
  bool notify = false;
  bool hand_over = false;                // at its timeout it continues in the background
  bool pty = false;                      // it runs on a terminal ...
  link::TerminalSize first_size;         // ... that started with this size
  bool changes_session = false;          // also if it is in the background
  bool spares_session = false;           // also if it is in the foreground
  bool errors_apart = false;             // its standard error is a stream of its own
  bool keep_state = false;               // the shell writes its state to a dump when it ends
  bool is_login = false;                 // it reads the login files for the runner itself
  std::shared_ptr<SudoGrant> sudo;       // null: sudo gets no password
  std::shared_ptr<ScriptServer> script;  // null: it is not a script
  std::string shown_command;             // shown in lists; empty: the command
  // Where it was judged to start, open until it has ended; null: wherever that is.
  std::shared_ptr<os::UniqueFd> judged_directory;

  // What lists and records have.
  const std::string& shown() const { return shown_command.empty() ? command : shown_command; }
  // -1: wherever that is.
  int directory() const { return judged_directory ? judged_directory->get() : -1; }
  bool leaves_session_alone() const { return spares_session || (background() && !changes_session); }
  bool background() const { return lifetime != link::ProcessLifetime::foreground; }
};

}  // namespace talaria::runner
