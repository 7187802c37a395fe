// LoginCache: the login states this runner knows, in memory and in its directory, the newest last.
// A file that cannot be read back is removed: the login files can be read again at any time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runner/login/login_state.h"

namespace talaria::runner {

class LoginCache {
 public:
  explicit LoginCache(std::string directory) : directory_(std::move(directory)) {}

  // Null if there is none.
  std::shared_ptr<const LoginState> answer_to(const LoginQuestion& question);
  std::shared_ptr<const LoginState> find(const std::string& id);

  // Those whose files have changed go, and the oldest if there is no room. One that cannot be
  // written is kept in memory.
  void keep(std::shared_ptr<const LoginState> state);

 private:
  void load();
  void drop(const LoginState* state);
  std::string path_of(const LoginState& state) const { return directory_ + "/" + state.id; }

  std::string directory_;
  bool loaded_ = false;
  std::vector<std::shared_ptr<const LoginState>> states_;
};

}  // namespace talaria::runner
