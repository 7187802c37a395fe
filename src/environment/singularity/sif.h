// The image file an instance is started from. A docker:// reference is built into one once, in the
// cache by the first caller; others wait for it, also other processes.
#pragma once

#include <string>
#include <vector>

#include "base/task.h"
#include "environment/long_work.h"
#include "environment/singularity/engine.h"

namespace talaria::environment::singularity {

struct ChosenImage {
  std::string image;                 // for the engine
  std::vector<std::string> notices;  // why it is not the one that was to be built
};

// What cannot be built is left to the engine as it was written.
Task<ChosenImage> choose_image(SingularityEngine engine, std::string image, std::string cache,
                               Progress progress);

}  // namespace talaria::environment::singularity
