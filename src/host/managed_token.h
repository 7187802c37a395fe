// Who we are to the gateways: the token the configuration has, or the one the agent keeps in
// <home>/auth.json (providers.nous.access_token).
#pragma once

#include <string>

#include "base/secret.h"

namespace talaria::host {

// Empty: there is none. The file is read anew each time, because another program renews it.
Secret managed_token(const std::string& home, const Secret& configured);

}  // namespace talaria::host
