// LinkStarts: how a command is started at a runner: with what its session needs from the login
// files, as the only one of its id, and once more if it turns out that it did not start.
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
#include "environment/environment.h"
#include "link/driver.h"

namespace talaria::environment {

struct LinkStartOptions {
  // Commands inherit the target's own environment, not ours, which means nothing there.
  bool elsewhere = false;
  LoginFiles login;
  bool batches = false;                                 // every stream of the link is one batch
  std::function<void()> used = {};                      // as in LinkEnvironment::Options
  std::function<std::vector<std::string>()> news = {};  // likewise
};

// A start that is ready to be sent.
struct PreparedStart {
  link::Start start;
  std::vector<std::string> notices;  // of the login, for the agent to read
};

shell::SessionDefinitions from_link(link::Unjudged unjudged);

// What counts of `spec` once it is in the background, however it got there.
void add_process(link::Start& start, ProcessSpec spec);

class LinkStarts {
 public:
  LinkStarts(std::shared_ptr<link::LinkDriver> driver, LinkStartOptions options)
      : driver_(std::move(driver)), options_(std::move(options)) {}

  // All that `spec` says but its input and where its output goes.
  // `login`: a session that is new begins with one.
  Task<Result<PreparedStart>> prepare(CommandSpec spec, CancelToken cancel, bool login = true);

  // What happened at the target meanwhile, behind the notices of a start that was answered.
  void add_news(std::vector<std::string>& notices) const;

  // What came of it: a session that has run needs no login any more.
  void answered(const std::string& session, bool ran);

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
  LinkStartOptions options_;
  std::set<std::string> known_sessions_;  // that have run here
};

}  // namespace talaria::environment
