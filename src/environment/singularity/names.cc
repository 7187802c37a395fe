#include "environment/singularity/names.h"

#include <algorithm>

#include "base/sha256.h"
#include "os/random.h"

namespace talaria {
namespace {

constexpr std::string_view kDocker = "docker://";
constexpr std::size_t kInstanceBytes = 6;
constexpr std::size_t kShownOfTask = 64;
constexpr std::size_t kDigestShown = 16;

bool is_ordinary(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '-';
}

}  // namespace

bool is_built(std::string_view image) { return image.starts_with(kDocker); }

std::string sif_name(std::string_view image) {
  if (is_built(image)) image.remove_prefix(kDocker.size());
  std::string name(image);
  std::ranges::replace_if(name, [](char c) { return c == '/' || c == ':'; }, '-');
  return name + ".sif";
}

std::string overlay_name(std::string_view task) {
  if (!task.empty() && task.size() <= kShownOfTask && std::ranges::all_of(task, is_ordinary)) {
    return "overlay-" + std::string(task);
  }
  std::string shown(task.substr(0, kShownOfTask));
  std::ranges::replace_if(shown, [](char c) { return !is_ordinary(c); }, '_');
  // No ordinary id has an @.
  return "overlay-" + shown + "@" + sha256_hex(task).substr(0, kDigestShown);
}

std::string new_instance_name() { return "hermes_" + random_hex(kInstanceBytes); }

}  // namespace talaria
