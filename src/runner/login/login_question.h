// The question a Login request asks, checked and with its files' names as this target has them.
#pragma once

#include "base/result.h"
#include "link/messages.h"
#include "runner/login/login_state.h"
#include "runner/shell/shell_host.h"

namespace talaria::runner {

Result<LoginQuestion> login_question(const link::Login& request, shell::NameMap caller,
                                     ShellKind shell);

}  // namespace talaria::runner
