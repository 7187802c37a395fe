// SudoGrant: the password of one command, for each sudo in it that asks, once.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "base/secret.h"

namespace talaria::runner {

class SudoGrant {
 public:
  SudoGrant(Secret password, std::string nonce)
      : password_(std::move(password)), nonce_(std::move(nonce)) {}

  const Secret& password() const { return password_; }
  const std::string& nonce() const { return nonce_; }

  // The command runs below this process.
  void runs_below(pid_t reaper) { reaper_ = reaper; }
  // The command has ended, or continues in the background: the password is no longer given.
  void end() {
    ended_ = true;
    password_.clear();
  }
  bool open() const { return !ended_ && reaper_ > 0; }
  pid_t reaper() const { return reaper_; }

  // Whether this process asks for the first time. If not, what it got was wrong.
  bool asks_first(pid_t sudo, std::uint64_t start_time) {
    if (asked_.size() >= kMostRemembered) asked_.clear();
    if (asked_.emplace(sudo, start_time).second) return true;
    rejected_ = true;
    return false;
  }
  bool rejected() const { return rejected_; }

 private:
  static constexpr std::size_t kMostRemembered = 4096;

  Secret password_;
  std::string nonce_;
  pid_t reaper_ = -1;
  std::set<std::pair<pid_t, std::uint64_t>> asked_;  // each by its pid and its start
  bool ended_ = false;
  bool rejected_ = false;
};

}  // namespace talaria::runner
