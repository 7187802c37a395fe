// Starts: runs what controllers ask to be run, each start once. A start that comes again, because
// its answer was lost, finds the run that it started. A start that policy judged by
// something else than what the session makes of it (aliases, functions, variables, directory) is
// not run; its controller gets what it needs and judges again.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "base/result.h"
#include "link/messages.h"
#include "os/unique_fd.h"
#include "runner/askpass/askpass.h"
#include "runner/jobs.h"
#include "runner/links.h"
#include "runner/login/logins.h"
#include "runner/run_table.h"
#include "runner/sessions.h"

namespace talaria::runner {

// Checks a start before anything is done for it.
Result<void> check_start(const link::Start& start);

class Starts {
 public:
  struct Parts {
    Sessions& sessions;
    RunTable& runs;
    Jobs& jobs;
    Links& links;
    std::vector<RunObserver*> observers;  // of every run
  };
  // `directory`: the runner's own. `environment`: for commands whose caller passes none.
  Starts(asio::io_context& loop, const ShellHost& host, std::string directory,
         shell::NameMap environment, Parts parts);

  struct StartedRun {
    std::shared_ptr<Run> run;
    bool known = false;                      // an earlier start with this id started it
    std::optional<link::Unjudged> unjudged;  // then there is no run
  };
  Result<StartedRun> start(const link::LinkId& link, link::Start start);

  // What the login files set (null: the session needs none), or the login that finds it out.
  using LoginAnswer = std::variant<std::shared_ptr<const LoginState>, std::shared_ptr<OpenLogin>>;
  Result<LoginAnswer> login(const link::Login& request);

  void close();  // the runner ends: nothing is started any more

  const std::string& home() const { return home_; }  // of the user at this target

 private:
  Result<StartedRun> find_started(const std::string& process);
  // Nothing: it may start, in `directory` if that counts.
  Result<std::optional<link::Unjudged>> unjudged(const link::Start& start, os::UniqueFd& directory);
  Result<shell::SessionDefinitions> definitions_for(const link::Start& start, bool with_directory);
  StartPlace place_of(const link::Start& start) const;
  std::string home_for(const link::Start& start) const;
  Result<std::shared_ptr<Run>> start_new(const link::LinkId& link, link::Start start,
                                         os::UniqueFd directory);
  Result<void> make_room_for(const link::Start& start);
  Result<std::shared_ptr<Run>> start_in_session(link::Start start, os::UniqueFd directory);

  Result<std::shared_ptr<const LoginState>> login_of(const link::Start& start);
  Result<std::shared_ptr<SudoGrant>> sudo_grant(link::Start& start);
  Result<std::shared_ptr<ScriptServer>> script_server(const link::Start& start);
  std::unique_ptr<OutputLog> make_log(const link::Start& start) const;
  shell::NameMap caller_environment(const std::vector<std::string>& env, bool added) const;
  const shell::NameMap& environment_for(const link::Start& start);

  asio::io_context& loop_;
  const ShellHost& host_;
  std::string directory_;
  shell::NameMap environment_;
  // What the last start passed, and what was made of it: most bring the same.
  struct {
    SharedTexts env;
    bool added = false;
    bool background = false;
    shell::NameMap variables;
  } passed_;
  std::string home_;
  Parts parts_;
  Askpass askpass_;
  Logins logins_;
  std::deque<std::string> refused_;  // ids of the last starts that did not run
  std::uint64_t scripts_ = 0;        // started so far
  bool closed_ = false;
};

}  // namespace talaria::runner
