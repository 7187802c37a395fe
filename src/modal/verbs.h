// What the program does for each of its verbs.
#pragma once

#include <string>

#include "modal/account.h"
#include "modal/command_line.h"

namespace talaria::modal {

inline constexpr int kVerbDone = 0;
inline constexpr int kVerbFailed = 1;
inline constexpr int kBadArguments = 2;
inline constexpr int kExecFailed = 125;

// The answer to `version`, which needs no account.
std::string version_line();

// Reads standard input, answers on standard output, complains on standard error. The exit code.
int run_verb(const Verb& verb, const Account& account);

}  // namespace talaria::modal
