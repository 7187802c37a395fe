#include "environment/singularity/instance_flags.h"

#include <array>
#include <charconv>

namespace talaria::environment::singularity {
namespace {

bool has_separator(const std::string& path) {
  return path.find_first_of(",:\\") != std::string::npos;
}

std::string shortest(double number) {
  std::array<char, 32> digits;
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  return {digits.data(), end};
}

}  // namespace

bool can_be_bound(const BoundPath& bind) {
  return !has_separator(bind.host) && !has_separator(bind.container);
}

Result<void> check_overlay(const std::string& directory) {
  if (!has_separator(directory)) return {};
  return fail(ErrorKind::bad_request,
              "the scratch directory cannot hold overlays, because the engine takes ',' and ':' in "
              "a path for separators: " +
                  directory + ". Name another one with TERMINAL_SCRATCH_DIR");
}

std::vector<std::string> instance_arguments(const InstanceSpec& spec, const std::string& name) {
  std::vector<std::string> arguments{"instance", "start", "--containall", "--no-home"};
  if (spec.overlay.empty()) {
    arguments.emplace_back("--writable-tmpfs");
  } else {
    arguments.insert(arguments.end(), {"--overlay", spec.overlay});
  }
  for (const BoundPath& bind : spec.binds) {
    arguments.insert(arguments.end(), {"--bind", bind.host + ":" + bind.container + ":ro"});
  }
  if (spec.memory_mb > 0) {
    arguments.insert(arguments.end(), {"--memory", std::to_string(spec.memory_mb) + "M"});
  }
  if (spec.cpus > 0) arguments.insert(arguments.end(), {"--cpus", shortest(spec.cpus)});
  arguments.insert(arguments.end(), {spec.image, name});
  return arguments;
}

bool has_limits(const InstanceSpec& spec) { return spec.memory_mb > 0 || spec.cpus > 0; }

InstanceSpec without_limits(InstanceSpec spec) {
  spec.memory_mb = 0;
  spec.cpus = 0;
  return spec;
}

}  // namespace talaria::environment::singularity
