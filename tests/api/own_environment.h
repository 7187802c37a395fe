// Puts the environment of a World in the place of this process's own, which the public interface
// reads.
#pragma once

#include <stdlib.h>

#include <string>

#include "support/world.h"

namespace talaria::test {

inline void take_environment_of(const World& world) {
  ::clearenv();
  for (const std::string& entry : world.env()) {
    const std::size_t equals = entry.find('=');
    ::setenv(entry.substr(0, equals).c_str(), entry.substr(equals + 1).c_str(), 1);
  }
}

}  // namespace talaria::test
