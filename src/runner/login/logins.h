// Logins: what the login files of this target set. They are read in a shell of their own, unless
// the result is already known. See shell/login.h for what they are.
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

class Logins;

// A login that is under way: `state` is set when its run has finished, unless it was killed.
struct OpenLogin final : RunObserver {
  OpenLogin(Logins& its_logins, LoginQuestion its_question)
      : logins(its_logins), question(std::move(its_question)) {}
  ~OpenLogin() override {
    if (run) run->remove_observer(*this);
  }
  void command_ended(Run& ended, const shell::ShellState& before,
                     Result<shell::ShellState>& after) override;

  Logins& logins;
  LoginQuestion question;
  std::string nonce;
  os::UniqueFd trace;        // which files were read
  std::int64_t started = 0;  // file_clock()
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

  // Reads the files, or joins a login with the same question (`fresh` is false then).
  struct Begun {
    std::shared_ptr<OpenLogin> login;
    bool fresh = false;
  };
  Result<Begun> begin(LoginQuestion question, std::chrono::milliseconds patience,
                      const std::vector<RunObserver*>& observers);

 private:
  friend struct OpenLogin;
  std::string text_for(const OpenLogin& login) const;
  Result<std::shared_ptr<Run>> start(OpenLogin& login, std::chrono::milliseconds patience,
                                     const std::vector<RunObserver*>& observers);
  void ended(OpenLogin& login, const Run& run, const shell::ShellState& before,
             Result<shell::ShellState>& after);

  asio::any_io_executor executor_;
  const ShellHost& host_;
  LoginCache cache_;
  std::vector<std::shared_ptr<OpenLogin>> open_;
};

}  // namespace talaria::runner
