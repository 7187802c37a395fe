// What a command gets as its input, over a link.
#pragma once

#include <memory>
#include <string>

#include "base/task.h"
#include "link/driver.h"

namespace talaria::environment {

inline constexpr std::size_t kInputPiece = 128 * 1024;

// For whoever starts the process, once the runner has said that it is there: a Write on its own
// could overtake a long Start. What was written before is not written again, so that this may be
// called once more for the same process. `end`: close the input behind it. A process that cannot be
// given all of it is killed.
Task<void> write_input(std::shared_ptr<link::LinkDriver> driver, std::string process,
                       std::string input, bool end);

}  // namespace talaria::environment
