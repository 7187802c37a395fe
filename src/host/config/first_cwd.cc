#include "host/config/first_cwd.h"

#include <algorithm>
#include <array>

namespace talaria {
namespace {

// Docker and podman are not among them: they may bind the caller's directory, so the path is theirs
// to judge.
constexpr auto kContainers =
    std::to_array<std::string_view>({"singularity", "modal", "daytona", "managed"});

// Words that mean: whatever it would be without them.
constexpr auto kPlaceholders = std::to_array<std::string_view>({".", "./", "auto", "cwd"});

// How directories of people's machines begin.
constexpr auto kHostPrefixes =
    std::to_array<std::string_view>({"/Users/", "/home/", "C:\\", "C:/"});

bool is_in_container(std::string_view path) {
  return path.starts_with("/") && std::ranges::none_of(kHostPrefixes, [&](std::string_view prefix) {
           return path.starts_with(prefix);
         });
}

}  // namespace

std::string first_cwd(const Caller& caller, std::string_view target, std::string_view said) {
  if (std::ranges::find(kPlaceholders, said) != kPlaceholders.end()) said = {};
  if (target == "ssh") return said.empty() ? "~" : std::string(said);
  if (std::ranges::find(kContainers, target) != kContainers.end()) {
    return is_in_container(said) ? std::string(said) : "/root";
  }
  if (!said.empty()) return caller.absolute(said);
  return caller.cwd.value_or(caller.home_directory());
}

}  // namespace talaria
