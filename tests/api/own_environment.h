// Puts the environment of a World in the place of this process's own, which the public interface
// reads.
#pragma once

#include <stdlib.h>
#include <talaria/talaria.h>

#include <stdexcept>
#include <string>
#include <utility>

#include "support/talaria_test.h"
#include "support/world.h"

namespace talaria::test {

inline void take_environment_of(const World& world) {
  ::clearenv();
  for (const std::string& entry : world.env()) {
    const std::size_t equals = entry.find('=');
    ::setenv(entry.substr(0, equals).c_str(), entry.substr(equals + 1).c_str(), 1);
  }
}

// A test of the public interface, with a home of its own.
class ApiTest : public TalariaTest {
 protected:
  ApiTest() { take_environment_of(world_); }

  static Runtime make(Options options = {}) {
    Result<Runtime> runtime = Runtime::make(std::move(options));
    if (!runtime) throw std::runtime_error(runtime.error().message());
    return std::move(*runtime);
  }
};

}  // namespace talaria::test
