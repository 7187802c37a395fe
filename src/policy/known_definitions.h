// KnownDefinitions: what the runners have told of the aliases and functions of sessions, so that
// the next command that uses them is judged at once. Other programs may change them at any time:
// whoever relies on this has the runner check it.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "shell/definitions.h"

namespace talaria::policy {

class KnownDefinitions {
 public:
  // `met`: all that `words` mean in the session.
  void learn(const std::string& target, const std::string& session,
             const std::vector<std::string>& words, const shell::SessionDefinitions& met);

  shell::SessionDefinitions of(const std::string& target, const std::string& session) const;

 private:
  std::map<std::pair<std::string, std::string>, shell::SessionDefinitions> sessions_;
};

}  // namespace talaria::policy
