#include "environment/singularity/names.h"

#include <algorithm>

#include "environment/task_name.h"
#include "os/random.h"

namespace talaria::environment::singularity {
namespace {

constexpr std::string_view kDocker = "docker://";
constexpr std::size_t kInstanceBytes = 6;
}  // namespace

bool is_built(std::string_view image) { return image.starts_with(kDocker); }

std::string sif_name(std::string_view image) {
  if (is_built(image)) image.remove_prefix(kDocker.size());
  std::string name(image);
  std::ranges::replace_if(name, [](char c) { return c == '/' || c == ':'; }, '-');
  return name + ".sif";
}

std::string overlay_name(std::string_view task) { return "overlay-" + task_name(task); }

std::string pool_overlay_name(std::string_view instance) {
  return std::string(kPoolOverlay) + std::string(instance);
}

std::string new_instance_name() { return "hermes_" + os::random_hex(kInstanceBytes); }

}  // namespace talaria::environment::singularity
