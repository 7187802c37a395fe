// SpareShells: shells that belong to no session. They wait for a command of one that has no shell
// waiting: it is new, or was not used lately. They start from what such sessions have in common:
// the variables that all callers have passed so far, and the result of the last login. A command
// may see what its shell was started with (/proc/PID/environ), so nothing that only others have
// passed is in there.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include <boost/asio/any_io_executor.hpp>

#include "runner/login/login_state.h"
#include "runner/run.h"
#include "runner/shell/shell_launch.h"
#include "runner/warm_shells.h"
#include "shell/state.h"

namespace talaria::runner {

class SpareShells {
 public:
  SpareShells(const asio::any_io_executor& executor, const ShellHost& host);

  // A session needs a shell and has none waiting. `login`: what it starts with if it is new, or
  // null. Null: no spare shell can run the command.
  std::shared_ptr<Run> take(const shell::NameMap& caller,
                            const std::shared_ptr<const LoginState>& login,
                            const shell::ShellState& from, std::string_view command);

  // Starts one shell if more should wait. True if there should be yet another.
  bool refill_one();

  void drop() { waiting_.drop(); }
  void abandon() { waiting_.abandon(); }  // the runner ends

  // How many shells wait in this runner, also in its sessions.
  std::size_t& all() { return all_; }
  std::size_t all() const { return all_; }

 private:
  void rebase(const shell::NameMap& caller, const std::shared_ptr<const LoginState>& login);

  asio::any_io_executor executor_;
  const ShellHost& host_;
  std::size_t all_ = 0;
  bool wanted_ = false;  // a session has asked
  shell::NameMap caller_;
  std::shared_ptr<const LoginState> login_;
  std::shared_ptr<const PreparedState> prepared_;
  bool prepared_is_current_ = false;
  WarmShells waiting_;
};

}  // namespace talaria::runner
