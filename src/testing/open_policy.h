// A policy for tests that are about something else: nothing speaks against any command.
#pragma once

#include "host/host.h"
#include "policy/command_policy.h"

namespace talaria::test {

inline guard::Judgement nothing_against(const policy::JudgedCommand&) { return {}; }

class OpenPolicy : public policy::CommandPolicy {
 public:
  explicit OpenPolicy(host::Host& host)
      : policy::CommandPolicy(host.settings, host.environments, host.journal, host.interaction,
                              nothing_against, "test") {}
};

}  // namespace talaria::test
