// Passthrough: names of variables that commands are to have. On this machine the caller's pass
// anyway, unless they are named like secrets (withheld.h). A name here passes in any case, and if
// the caller has no value for it, the one of <home>/.env does, which otherwise no command sees.
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
  // Blanks around a name are ignored. The names of the agent (withheld.h) are refused: neither a
  // file nor a skill may hand its secrets to commands.
  Result<void> add(std::string_view name);

  const std::set<std::string>& names() const { return names_; }

  // NAME=value for each that `file` has a value for and the caller has none.
  std::vector<std::string> values(const EnvFile& file, const Caller& caller) const;

 private:
  std::set<std::string> names_;
};

}  // namespace talaria::host
