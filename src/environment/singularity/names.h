// What things of the singularity target are called. No I/O here.
#pragma once

#include <string>
#include <string_view>

namespace talaria::environment::singularity {

// The image file that a docker:// reference becomes in the cache: upstream Hermes looks for the
// same.
std::string sif_name(std::string_view image);

// Whether it is to be built: a docker:// reference. Image files, directories and other references
// go to the engine as they are.
bool is_built(std::string_view image);

// A task's own directory for what it changes: one name, never a path, and never another task's. An
// ordinary id is in it as it is, so that upstream finds the same.
std::string overlay_name(std::string_view task);

// The one of an instance that waits in a pool. No task has such a name.
inline constexpr std::string_view kPoolOverlay = "pool@";
std::string pool_overlay_name(std::string_view instance);

// "hermes_" and twelve random hexadecimal digits.
std::string new_instance_name();

}  // namespace talaria::environment::singularity
