// How the processes of a run are known at a target without a runner.
#pragma once

#include <string>

#include "os/random.h"

namespace talaria::environment::plain {

// Sixteen digits: a number below 2^53 (see PlainCall).
inline std::string random_run_id() {
  return std::to_string(1'000'000'000'000'000 + std::stoull(os::random_hex(6), nullptr, 16));
}

}  // namespace talaria::environment::plain
