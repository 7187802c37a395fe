// What commands get at a target elsewhere, on top of the target's own environment: who asks and the
// trace they belong to, what was asked to pass, and what the embedding program adds. Nothing else
// of this machine's variables means anything there.
#pragma once

#include <string>
#include <vector>

#include "host/caller.h"
#include "host/config/env_file.h"
#include "host/passthrough.h"

namespace talaria::host {

struct CarriedEnvOptions {
  EnvFile env_file;  // <home>/.env: for names the caller has no value for
  Passthrough passthrough;
  std::vector<std::string> forwarded;  // names that were said for the target: also secrets
  std::vector<std::string> added;      // as in ChildEnvOptions
};

// As NAME=value, each name once. A name without a value, or with an empty one, is left out.
std::vector<std::string> carried_env(const Caller& caller, const CarriedEnvOptions& options);

}  // namespace talaria::host
