// A policy for tests that are about something else: nothing speaks against any command.
#pragma once

#include "host/host.h"
#include "policy/command_policy.h"

namespace talaria {

inline Judgement nothing_against(const JudgedCommand&) { return {}; }

class OpenPolicy : public CommandPolicy {
 public:
  explicit OpenPolicy(Host& host) : CommandPolicy(host, nothing_against, "test") {}
};

}  // namespace talaria
