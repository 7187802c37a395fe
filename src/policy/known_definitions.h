// KnownDefinitions: what runners have reported of sessions (aliases, functions, variables,
// directories), so that the next command that depends on it is judged at once. Other programs may
// change it at any time, so the runner checks it before it starts a command.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "shell/definitions.h"

namespace talaria::policy {

class KnownDefinitions {
 public:
  // `found`: all that `judged` depends on in the session. `directory`: where the command was taken
  // to start.
  void learn(const std::string& target, const std::string& session,
             const shell::JudgedStart& judged, const shell::SessionDefinitions& found,
             const std::string& directory);

  // For a command that is taken to start in `directory`.
  shell::SessionDefinitions of(const std::string& target, const std::string& session,
                               const std::string& directory);

 private:
  struct Known {
    shell::SessionDefinitions definitions;
    std::string directory;  // as its user writes the one of `definitions`
  };

  using Key = std::pair<std::string, std::string>;  // target, session

  Known& used(const Key& key);

  // What was used since `earlier_` was full, and what it was full of: the sessions that were used
  // last are known, however many there are.
  std::map<Key, Known> recent_;
  std::map<Key, Known> earlier_;
};

}  // namespace talaria::policy
