// What the configuration says about sudo.
#pragma once

#include <optional>

#include "base/secret.h"
#include "host/config/values.h"

namespace talaria::host {

struct SudoConfig {
  std::optional<Secret> password;  // SUDO_PASSWORD; an empty one counts, too
  bool interactive = false;        // a person sits at the agent's terminal
  bool in_chat = false;            // the person is in a chat
};

inline SudoConfig read_sudo(const Values& values) {
  SudoConfig config{.interactive = values.truth("HERMES_INTERACTIVE"),
                    .in_chat = values.truth("HERMES_GATEWAY_SESSION")};
  if (!values.is_default("SUDO_PASSWORD")) config.password.emplace(values.text("SUDO_PASSWORD"));
  return config;
}

}  // namespace talaria::host
