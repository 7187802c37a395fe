// The rules held against their own examples: by the tests, and by whoever wants to know
// (`talaria guard explain --self-test`).
#pragma once

#include <string>
#include <vector>

namespace talaria::guard {

// What does not hold; empty: everything does.
std::vector<std::string> rule_flaws();

}  // namespace talaria::guard
