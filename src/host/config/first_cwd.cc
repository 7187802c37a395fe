#include "host/config/first_cwd.h"

#include <algorithm>
#include <array>
#include <filesystem>

namespace talaria::host {
namespace {

constexpr std::string_view kWorkspace = "/workspace";
constexpr auto kDockerLike = std::to_array<std::string_view>({"docker", "podman"});
constexpr auto kOtherContainers =
    std::to_array<std::string_view>({"singularity", "modal", "managed"});

// The user of Daytona's own images, whose home need not be there in others.
constexpr std::string_view kDaytonaHome = "/home/daytona";

bool is_one_of(std::string_view target, const auto& targets) {
  return std::ranges::find(targets, target) != targets.end();
}

// Words that mean: whatever it would be without them.
constexpr auto kPlaceholders = std::to_array<std::string_view>({".", "./", "auto", "cwd"});

// How directories of people's machines begin.
constexpr auto kHostPrefixes =
    std::to_array<std::string_view>({"/Users/", "/home/", "C:\\", "C:/"});

bool is_of_a_host(std::string_view path) {
  return std::ranges::any_of(kHostPrefixes,
                             [&](std::string_view prefix) { return path.starts_with(prefix); });
}

bool is_in_container(std::string_view path) { return path.starts_with("/") && !is_of_a_host(path); }

bool is_below(std::string_view path, std::string_view directory) {
  return path.starts_with(directory) &&
         (path.size() == directory.size() || path[directory.size()] == '/');
}

// The directory of this machine that the container is to have, if that is what `said` means.
std::string wanted_mount(const Caller& caller, const std::string& said) {
  std::string path = said.empty() ? caller.cwd.value_or("") : caller.absolute(said);
  if (is_of_a_host(path)) return path;
  std::error_code ignored;
  const bool elsewhere = is_below(path, kWorkspace) || is_below(path, "/root");
  return !elsewhere && std::filesystem::is_directory(path, ignored) ? path : "";
}

// In a sandbox of Daytona's: the home that it has, unless another of its directories is said.
std::string at_daytona(const std::string& said) {
  if (said == kDaytonaHome || said == "~") return "~";
  if (said.starts_with("~/") || is_below(said, kDaytonaHome)) return said;
  return is_in_container(said) ? said : "~";
}

}  // namespace

FirstCwd first_cwd(const Caller& caller, const CwdRequest& request) {
  const std::string said = is_one_of(request.said, kPlaceholders) ? "" : request.said;
  if (request.target == "ssh" || request.target == "carrier") {
    return {.directory = said.empty() ? "~" : said};
  }
  if (request.target == "daytona") return {.directory = at_daytona(said)};
  if (is_one_of(request.target, kDockerLike) && request.mount) {
    if (std::string mounted = wanted_mount(caller, said); !mounted.empty()) {
      return {.directory = std::string(kWorkspace), .mounted = std::move(mounted)};
    }
  }
  if (is_one_of(request.target, kDockerLike) || is_one_of(request.target, kOtherContainers)) {
    return {.directory = is_in_container(said) ? said : "/root"};
  }
  if (!said.empty()) return {.directory = caller.absolute(said)};
  return {.directory = caller.cwd.value_or(caller.home_directory())};
}

}  // namespace talaria::host
