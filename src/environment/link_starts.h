// LinkStarts: starts commands at a runner. A new session gets the result of its login files; an id
// is started only once; a command that did not start is tried once more.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "base/task.h"
#include "environment/command.h"
#include "environment/target_instance.h"
#include "link/driver.h"

namespace talaria::environment {

// A start that is ready to be sent.
struct PreparedStart {
  link::Start start;
  std::vector<std::string> notices;  // of the login, for the agent to read
  // The session is one that this runner has. Another one may not have it.
  bool known_session = false;
  bool new_session = false;  // the runner has no state of it
  bool starts_anew = false;  // likewise, and it had one: `notices` says so
};

shell::SessionDefinitions from_link(link::Unjudged unjudged);

// The part of `spec` that applies to a background process, however it became one.
void add_process(link::Start& start, ProcessSpec spec);

class LinkStarts {
 public:
  // `options` outlive it.
  LinkStarts(std::shared_ptr<link::LinkDriver> driver, const TargetOptions& options)
      : driver_(std::move(driver)),
        options_(options),
        sessions_(options.sessions ? options.sessions : std::make_shared<SessionsInMemory>()) {}

  // Everything of `spec` except its input and the destination of its output. `login`: a new session
  // begins with the result of its login files.
  Task<Result<PreparedStart>> prepare(CommandSpec spec, CancelToken cancel, bool login = true);

  // Appends news of the target to the notices of a start that was answered.
  void add_news(std::vector<std::string>& notices) const;

  // Records the result: a session that has run needs no login again.
  Task<void> answered(std::string session, bool ran, const PreparedStart& prepared);
  // It was not started after all; nobody reads its notices.
  void given_up(const std::string& session, const PreparedStart& prepared);
  // The state of one, or of all, was removed on purpose.
  Task<void> forget(std::string session);
  Task<void> forget_all();

  // `unavailable` from a runner we can reach means that the command did not start: then, and only
  // then, it is tried once more.
  template <class Answer>
  Task<Result<Answer>> run(std::function<Task<Result<Answer>>()> attempt) {
    Result<Answer> answer = co_await attempt();
    const bool not_started = !answer && answer.error().kind() == ErrorKind::unavailable;
    if (!not_started || !driver_->reached()) co_return answer;
    known_sessions_.clear();  // the runner may be another one
    co_return co_await attempt();
  }

 private:
  std::shared_ptr<link::LinkDriver> driver_;
  const TargetOptions& options_;
  std::set<std::string> known_sessions_;     // that this runner has, because they ran there
  std::shared_ptr<SessionRecord> sessions_;  // that ran here, whichever runner had them
  std::set<std::string> starting_anew_;      // those of a command that says so, until it has run
};

}  // namespace talaria::environment
