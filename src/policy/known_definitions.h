// KnownDefinitions: the aliases and functions of sessions that runners have reported, so that the
// next command that uses them is judged at once. Other programs may change them at any time, so the
// runner checks them before it starts a command.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "shell/definitions.h"

namespace talaria::policy {

class KnownDefinitions {
 public:
  // `found`: all definitions of `words` in the session.
  void learn(const std::string& target, const std::string& session,
             const std::vector<std::string>& words, const shell::SessionDefinitions& found);

  shell::SessionDefinitions of(const std::string& target, const std::string& session) const;

 private:
  std::map<std::pair<std::string, std::string>, shell::SessionDefinitions> sessions_;
};

}  // namespace talaria::policy
