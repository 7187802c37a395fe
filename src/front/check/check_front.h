// `talaria doctor --check TARGET`: runs the contract kit at a target, as the configuration has it.
#pragma once

#include <talaria/options.h>

#include <string>
#include <vector>

#include "base/task.h"
#include "front/stdio.h"

namespace talaria::front::check {

// Exit code if the target is unavailable.
inline constexpr int kCheckImpossible = 125;

struct CheckOptions {
  std::string target;
  std::string only;  // which cases; empty: all
  bool json = false;
};

Task<int> check_front(CheckOptions options, Stdio stdio);

}  // namespace talaria::front::check
