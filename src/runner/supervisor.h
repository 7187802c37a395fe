// Supervisor: everything a runner has (sessions, runs, links) and what each request does with it.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/result.h"
#include "link/messages.h"
#include "link/registry.h"
#include "runner/askpass/askpass.h"
#include "runner/call_lifetimes.h"
#include "runner/files/file_changes.h"
#include "runner/files/line_index.h"
#include "runner/files/uploads.h"
#include "runner/jobs.h"
#include "runner/login/logins.h"
#include "runner/run.h"
#include "runner/run_table.h"
#include "runner/search/search_desk.h"
#include "runner/session.h"
#include "runner/session_store.h"
#include "runner/shell/shell_host.h"

namespace talaria::runner {

struct SupervisorOptions {
  std::string directory;  // private to this runner
  std::string instance;
  std::chrono::milliseconds lifetime{0};  // without links and runs, then the runner ends
  std::vector<std::string> environment;   // of commands whose caller passes none: the target's own
};

class Supervisor final : private RunKeeper {
 public:
  Supervisor(asio::io_context& loop, ShellHost host, SupervisorOptions options);
  ~Supervisor() override;
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  // Runs the start, or finds the run it started before (`known`). Or it runs nothing, because it
  // was judged without what the session makes of its words (`unjudged`).
  struct StartedRun {
    std::shared_ptr<Run> run;
    bool known = false;
    std::optional<link::Unjudged> unjudged;
  };
  Result<StartedRun> start(const link::LinkId& link, link::Start start);

  // What the login files bring (null: the session needs none), or the login that finds it out.
  using LoginAnswer = std::variant<std::shared_ptr<const LoginState>, std::shared_ptr<OpenLogin>>;
  Result<LoginAnswer> login(const link::Login& request);

  Result<std::shared_ptr<Run>> find(const std::string& process);

  // Where a session is, without starting anything of it.
  Result<SessionPlace> place_of(const std::string& session);
  // Forgets it, with what is on disk. Refused while something of it runs.
  Result<void> end_session(const std::string& session);
  link::ListReport list(const link::List& wanted);
  link::StatusReport status() const;

  EventLog& events() { return jobs_.events(); }
  void acknowledge(std::uint64_t up_to);  // events

  // A link stopped or began to watch a run: one in the foreground lives only a while unwatched.
  void watch_changed(Run& run);
  // A link has a connection, or no longer.
  void link_connected(const link::LinkId& link);
  void link_disconnected(const link::LinkId& link);
  // Ends the runner. Refused while something runs, unless `kill`.
  Result<void> stop(bool kill);

  // Lets go of everything the event loop still knows, so that it can come to rest.
  void shut_down();

  // Called when there is nothing more urgent: brings back the warm shells that were used.
  void refill_soon(const std::string& session,
                   std::chrono::milliseconds pause = std::chrono::milliseconds(0));
  // Whatever pause there is.
  void refill_now();

  asio::io_context& loop() { return loop_; }
  link::LinkRegistry& registry() { return registry_; }
  const std::string& instance() const { return options_.instance; }
  link::RunnerHello hello() const;
  std::string home() const;
  Uploads& uploads() { return uploads_; }
  FileChanges& file_changes() { return file_changes_; }
  LineIndexes& line_indexes() { return line_indexes_; }
  SearchDesk& searches() { return searches_; }

 private:
  Session& session(const std::string& id);
  void retire(const std::string& id);
  std::vector<Session*> sessions_by_age() const;  // the longest idle first
  bool make_room_for_session();
  std::size_t warm_shells() const;
  bool make_room_for_warm_shell();
  Result<std::shared_ptr<Run>> start_fresh(const link::LinkId& link, link::Start start);
  Result<std::shared_ptr<Run>> start_in_session(link::Start start);
  Result<std::optional<link::Unjudged>> unjudged(const link::Start& start);
  Result<shell::SessionDefinitions> met_by_words(const link::Start& start);
  Result<StartedRun> find_started(const std::string& process, const link::Start& start);
  Result<std::shared_ptr<const LoginState>> login_of(const link::Start& start);
  Result<void> make_room_for(const link::Start& start);
  Result<std::shared_ptr<SudoGrant>> grant_for(link::Start& start);
  Result<std::shared_ptr<ScriptDesk>> desk_for(const link::Start& start);
  std::unique_ptr<OutputLog> make_log(const link::Start& start) const;
  void keep(std::shared_ptr<Run> run);
  void run_gone(Run& run);
  void forgotten(const Run& run);
  void end_call(const std::string& process);

  Result<void> run_lets_go(const RunSpec& spec, pid_t pid, const std::string& cwd) override;
  Result<void> run_may_go_on(const RunSpec& spec) override;
  void run_handed_over(Run& run) override;
  void run_finished(Run& run) override;
  void run_printed(Run& run, std::string_view bytes) override;
  void recall_jobs();

  void check_lease();
  void end_orphans();
  void refill_next();
  shell::NameMap caller_environment(const std::vector<std::string>& env, bool added) const;
  shell::NameMap environment_for(const link::Start& start) const;

  asio::io_context& loop_;
  ShellHost host_;
  SupervisorOptions options_;
  SessionStore store_;
  Askpass askpass_;
  Logins logins_;
  link::LinkRegistry registry_;
  std::string boot_id_;
  shell::NameMap own_environment_;
  std::map<std::string, std::unique_ptr<Session>> sessions_;
  Jobs jobs_;
  RunTable runs_;
  CallLifetimes calls_;
  Uploads uploads_;
  FileChanges file_changes_;
  LineIndexes line_indexes_;
  SearchDesk searches_;
  std::map<std::string, std::unique_ptr<asio::steady_timer>> unwatched_;
  asio::steady_timer lease_;
  asio::steady_timer refill_pause_;
  std::size_t warm_limit_;
  std::uint64_t scripts_ = 0;  // that there were
  bool stopping_ = false;
  std::chrono::steady_clock::time_point started_;
  std::deque<std::string> to_refill_;  // sessions
  bool refilling_ = false;             // their turn comes, without a pause
  std::deque<std::string> refused_;    // the last starts that were unjudged
};

}  // namespace talaria::runner
