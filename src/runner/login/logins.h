// Logins: answers what the login files of this target bring, by reading them in a shell of their
// own when nobody knows yet. See shell/login.h for what they are.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include "base/result.h"
#include "runner/login/login_cache.h"
#include "runner/run.h"

namespace talaria::runner {

// A login that is under way: `state` is there when its run has finished, unless it was killed.
struct OpenLogin {
  LoginQuestion question;
  std::shared_ptr<Run> run;
  std::shared_ptr<const LoginState> state;
};

class Logins {
 public:
  Logins(const asio::any_io_executor& executor, const ShellHost& host, std::string directory)
      : executor_(executor), host_(host), cache_(std::move(directory)) {}

  // Null if the files must be read first.
  std::shared_ptr<const LoginState> known(const LoginQuestion& question) {
    return cache_.answer_to(question);
  }
  std::shared_ptr<const LoginState> find(const std::string& id) { return cache_.find(id); }

  // Reads the files, or joins whoever asked the same and waits already (`fresh` is false then).
  struct Begun {
    std::shared_ptr<OpenLogin> login;
    bool fresh = false;
  };
  Result<Begun> begin(LoginQuestion question, std::chrono::milliseconds patience);

 private:
  // What a shell that reads them was told, and tells.
  struct Reading {
    std::string nonce;
    os::UniqueFd trace;
    std::int64_t started = 0;
  };
  std::string text_for(const shell::LoginPlan& plan, const Reading& reading) const;
  Result<std::shared_ptr<Run>> start(const std::shared_ptr<OpenLogin>& login,
                                     std::chrono::milliseconds patience);
  void ended(OpenLogin& login, const Reading& reading, const Run& run,
             const shell::ShellState& before, Result<shell::ShellState> after);

  asio::any_io_executor executor_;
  const ShellHost& host_;
  LoginCache cache_;
  std::vector<std::shared_ptr<OpenLogin>> open_;
};

}  // namespace talaria::runner
