// Swept: something at a target that nobody needs any more, and what became of it.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"

namespace talaria {

struct Swept {
  std::string what;            // "container hermes-1a2b3c4d"
  std::string why;             // "it ended 3 h ago"
  bool removed = false;        // false: it was only looked for, or there is an error
  std::optional<Error> error;  // why it could not be removed
};

}  // namespace talaria
