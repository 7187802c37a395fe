// TargetTest: a target of Talaria's own making, at a real engine.
#pragma once

#include <string>
#include <vector>

#include "support/engine_test.h"

namespace talaria::test {

class TargetTest : public EngineTest {
 protected:
  Finished shell(const std::string& line) { return run_host({"sh", "-c", line}); }

  // Variables the test's programs need to reach an engine.
  void pass(const std::vector<const char*>& names) {
    for (const char* name : names) {
      if (!engine(name).empty()) world_.set(name, engine(name));
    }
  }
};

}  // namespace talaria::test
