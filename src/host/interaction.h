// Interaction: how the people behind a program are asked and informed.
#pragma once

#include <talaria/hooks.h>

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/gate.h"
#include "base/secret.h"

namespace talaria::host {

// The passwords that people gave for sudo, each for the caller that asked then. They are only in
// memory, and overwritten when they are forgotten.
class SudoPasswords {
 public:
  // Null: there is none.
  const Secret* find(const std::string& scope) const {
    const auto found = passwords_.find(scope);
    return found == passwords_.end() ? nullptr : &found->second;
  }

  // An empty one is none.
  void keep(const std::string& scope, Secret password) {
    if (password.empty()) return forget(scope);
    if (passwords_.size() >= kMost) passwords_.clear();
    passwords_.insert_or_assign(scope, std::move(password));
  }

  void forget(const std::string& scope) { passwords_.erase(scope); }
  void forget_all() { passwords_.clear(); }

  // People are asked one thing at a time.
  const std::shared_ptr<Gate>& asking() const { return asking_; }

 private:
  static constexpr std::size_t kMost = 1024;

  std::map<std::string, Secret> passwords_;
  std::shared_ptr<Gate> asking_ = std::make_shared<Gate>(1);
};

struct Interaction {
  Hooks hooks;                   // of the embedding program
  SudoPasswords sudo_passwords;  // that people gave
  bool at_terminal = false;      // people may be asked at the terminal of this process
};

}  // namespace talaria::host
