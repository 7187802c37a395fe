// Asking a person for the password of sudo: by the hook of an embedding program, or at the terminal
// that controls this process.
#pragma once

#include <chrono>

#include "base/cancel.h"
#include "base/secret.h"
#include "base/task.h"
#include "host/hooks.h"

namespace talaria::policy {

inline constexpr std::chrono::seconds kSudoPatience{45};

// Empty: none was given in time.
Task<Secret> ask_password_by_hook(const Hooks& hooks, SudoRequest request, CancelToken cancel);
Task<Secret> ask_password_at_terminal(SudoRequest request, CancelToken cancel);

}  // namespace talaria::policy
