#include "runner/spare_shells.h"

#include <algorithm>
#include <utility>

#include "runner/limits.h"
#include "shell/script.h"

namespace talaria::runner {

SpareShells::SpareShells(const asio::any_io_executor& executor, const ShellHost& host)
    : executor_(executor), host_(host), waiting_(all_) {}

std::shared_ptr<Run> SpareShells::take(const shell::NameMap& caller,
                                       const std::shared_ptr<const LoginState>& login,
                                       const shell::ShellState& from, std::string_view command) {
  rebase(caller, login);
  return waiting_.take(from, command);
}

void SpareShells::rebase(const shell::NameMap& caller,
                         const std::shared_ptr<const LoginState>& login) {
  if (!std::exchange(wanted_, true)) caller_ = caller;
  if (login && login != login_) {
    login_ = login;
    prepared_is_current_ = false;
  }
  std::size_t changes = erase_if(caller_, [&](const auto& variable) {
    const auto found = caller.find(variable.first);
    return found == caller.end() || found->second != variable.second;
  });
  for (const auto& [name, value] : caller) {
    if (shell::is_fixed_at_start(name)) changes += caller_.try_emplace(name, value) ? 1 : 0;
  }
  if (changes == 0) return;
  prepared_is_current_ = false;
  waiting_.drop();
}

bool SpareShells::refill_one() {
  if (!host_.warm || !wanted_) return false;
  waiting_.get_ready();
  if (waiting_.size() >= kSpareShells) return false;
  if (!prepared_is_current_) {
    shell::ShellState state =
        login_ ? login_->state.over(caller_) : shell::SessionState().over(caller_);
    state.cwd = "/";
    auto prepared = prepare_state(host_, std::move(state), prepared_);
    if (!prepared) return false;  // the next command has the same problem and reports it
    prepared_ = std::move(*prepared);
    prepared_is_current_ = true;
  }
  auto shell = Run::launch(executor_, host_, prepared_, {});
  if (!shell) return false;
  waiting_.add(std::move(*shell));
  return waiting_.size() < kSpareShells;
}

}  // namespace talaria::runner
