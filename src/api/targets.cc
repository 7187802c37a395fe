#include <talaria/target.h>

#include <array>
#include <utility>

namespace talaria {
namespace {

constexpr auto kTargetNames = std::to_array<std::pair<Target, std::string_view>>({
    {Target::local, "local"},
    {Target::docker, "docker"},
    {Target::podman, "podman"},
    {Target::singularity, "singularity"},
    {Target::ssh, "ssh"},
    {Target::carrier, "carrier"},
    {Target::managed, "managed"},
    {Target::modal, "modal"},
    {Target::daytona, "daytona"},
});

}  // namespace

std::string_view target_name(Target target) {
  for (const auto& [entry, name] : kTargetNames) {
    if (entry == target) return name;
  }
  return "";
}

std::optional<Target> target_of(std::string_view name) {
  for (const auto& [target, entry] : kTargetNames) {
    if (entry == name) return target;
  }
  return std::nullopt;
}

}  // namespace talaria
