// Session: one shell state and the warm shells that wait to run its next commands. Commands of a
// session may run at the same time; see shell/state.h for how their changes come together.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include "base/result.h"
#include "runner/login/login_state.h"
#include "runner/run.h"
#include "runner/session_store.h"
#include "runner/shell/shell_launch.h"
#include "runner/spare_shells.h"
#include "runner/warm_shells.h"
#include "shell/definitions.h"

namespace talaria::runner {

// Where a command is to start.
struct StartPlace {
  std::optional<std::string> workdir;  // for this command only
  std::string first_cwd;               // where a new session starts
  std::string move_to;                 // where the session goes first; empty: it stays
};

struct RunRequest {
  RunSpec spec;
  shell::NameMap caller;  // the environment the caller passes
  StartPlace place;
  std::optional<int> first_umask;           // and with which umask
  std::shared_ptr<const LoginState> login;  // and with which state; null: none
  shell::NameMap given;                     // variables of this command alone
  bool with_stdin = false;
  std::optional<os::WindowSize> terminal;  // in place of pipes
  std::unique_ptr<OutputLog> log;
  std::vector<RunObserver*> observers;  // after the session itself
};

// What the judgement of a command depends on (shell/definitions.h), and what decides it beside the
// session.
struct StartQuestion {
  const std::vector<std::string>& words;
  const std::vector<std::string>& variables;
  bool uses_directory = false;
  const StartPlace& place;
  std::string home;              // as the caller passes it
  shell::NameMap inherited;      // functions: see word_definitions.h
  const shell::NameMap* target;  // variables that commands inherit from the target; null: none
  const LoginState* login;       // what a new session starts with; null: nothing
};

class Session;

struct SessionEvents {
  std::function<void(Session&)> on_busy;  // a command begins in the foreground
  std::function<void(Session&)> on_idle;  // none runs there now, and it was used just now
};

// The part of a session's state that is about paths and files.
struct SessionPlace {
  std::string directory;              // empty: it is new
  std::optional<std::string> home{};  // if it has set HOME
  std::optional<std::uint32_t> umask{};
};

SessionPlace place_in(const shell::SessionState& state);

class Session final : private RunObserver {
 public:
  // An empty id is the stateless session: every command starts afresh, nothing is kept. `events`
  // may be empty.
  Session(const asio::any_io_executor& executor, const ShellHost& host, SessionStore& store,
          std::string id, SpareShells& spare, SessionEvents events = {});
  ~Session() override;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Result<SessionPlace> place();

  // Nothing has run in it yet, as far as is known here.
  bool is_new();

  // What a command means here if it starts now, as far as it was judged by that.
  Result<shell::SessionDefinitions> definitions_for(const StartQuestion& question);

  // Starts the command, in a warm shell if one fits.
  Result<std::shared_ptr<Run>> start(RunRequest request);

  // Starts one warm shell if an active session should have more. True if it should have yet
  // another. Called when there is time for it: starting a shell holds the event loop for a moment.
  bool refill_one();

  void drop_warm_shells() { warm_.drop(); }

  // Makes it ready to be dropped from memory: true if nothing of it runs and its state is on disk.
  bool retire();

  // The same, for a session that is removed.
  bool end();

  void abandon();  // the runner ends

  std::chrono::steady_clock::time_point last_active() const { return last_active_; }
  // Between the starts of its last two commands; none: it had only one since it is in memory.
  std::optional<std::chrono::steady_clock::duration> pace() const { return pace_; }
  std::size_t warm_shells() const { return warm_.size(); }
  const std::string& id() const { return id_; }

 private:
  Result<void> load();
  void begin_with(const RunRequest& request);
  struct Whereabouts {
    std::string directory;  // where the command starts
    std::string session;    // where its session is from then on; empty: where it was
    std::string missing;    // the directory that was asked for and cannot be used; else empty
    std::string notice;
  };
  Whereabouts whereabouts(const StartPlace& place, const std::string& home) const;
  void name_terminal(shell::ShellState& to) const;
  shell::ShellState state_over(const shell::NameMap& caller);
  Result<std::shared_ptr<Run>> start_in_some_shell(RunRequest& request, shell::ShellState to);
  Result<std::shared_ptr<Run>> launch(const CommandStart& start, const RunRequest& request);
  void start_failed();
  void stop_observing(Run& run);
  void foreground_left();
  void keep_changes(Run& run, bool changed);
  void command_ended(Run& run, const shell::ShellState& before,
                     Result<shell::ShellState>& after) override;
  void run_handed_over(Run& run) override;
  void move_to(const std::string& directory);
  Result<void> save();
  void note_activity();

  asio::any_io_executor executor_;
  const ShellHost& host_;
  SessionStore& store_;
  std::string id_;
  SessionEvents events_;
  shell::SessionState state_;
  bool loaded_ = false;
  bool on_disk_ = false;                      // state_, as it is
  int running_ = 0;                           // commands in the foreground
  std::vector<std::weak_ptr<Run>> observed_;  // until they end or are handed over
  std::chrono::steady_clock::time_point last_active_ = std::chrono::steady_clock::now();
  std::optional<std::chrono::steady_clock::time_point> last_start_;
  std::optional<std::chrono::steady_clock::duration> pace_;
  std::string load_notice_;
  shell::NameMap caller_;  // of the last command: what the next one most likely brings
  // What variables_over() last made, and of what: most commands ask for the same.
  struct {
    shell::NameMap caller;
    decltype(shell::SessionState::variables) own;
    shell::NameMap all;
  } over_;
  std::shared_ptr<const PreparedState> prepared_;
  bool prepared_is_current_ = false;  // it is what the next command most likely starts from
  SpareShells& spare_;
  WarmShells warm_;
};

}  // namespace talaria::runner
