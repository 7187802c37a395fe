// Passthrough: names of variables that commands are to have. On this machine all of the
// caller's pass anyway, but for the agent's secrets; what a name here adds is its value from
// <home>/.env, which otherwise no command sees.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "host/caller.h"
#include "host/config/env_file.h"

namespace talaria::host {

class Passthrough {
 public:
  // Blanks around a name do not count. The agent's secrets (withheld.h) are refused: neither a file
  // nor a skill may hand them to commands.
  Result<void> add(std::string_view name);

  const std::set<std::string>& names() const { return names_; }

  // NAME=value for each that `file` has a value for and the caller has none.
  std::vector<std::string> values(const EnvFile& file, const Caller& caller) const;

 private:
  std::set<std::string> names_;
};

}  // namespace talaria::host
