#include "sandboxes/sandbox_paths.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace talaria::sandboxes {
namespace {

// The rest of `path`, with its slash, if it is `directory` or below it.
std::optional<std::string_view> below(std::string_view path, std::string_view directory) {
  while (directory.size() > 1 && directory.ends_with('/')) directory.remove_suffix(1);
  if (directory.empty() || directory == "/" || !path.starts_with(directory)) return std::nullopt;
  path.remove_prefix(directory.size());
  if (!path.empty() && !path.starts_with('/')) return std::nullopt;
  return path;
}

}  // namespace

bool is_container_target(std::string_view target) {
  constexpr auto kIsolatedTargets =
      std::to_array<std::string_view>({"docker", "podman", "singularity", "modal", "daytona"});
  return std::ranges::find(kIsolatedTargets, target) != kIsolatedTargets.end();
}

bool is_image_by_path(std::string_view target, std::string_view image) {
  constexpr auto kRegistries =
      std::to_array<std::string_view>({"docker://", "library://", "oras://", "shub://"});
  const auto begins = [&](std::string_view with) { return image.starts_with(with); };
  if (image.empty()) return false;
  if (target == "singularity") return std::ranges::none_of(kRegistries, begins);
  // A Dockerfile: error messages would show its lines.
  return target == "modal" &&
         (begins("/") || begins(".") || lower_case(image).contains("dockerfile"));
}

std::string exec_directory(const SandboxInfo& sandbox, const std::optional<std::string>& asked) {
  std::string path = asked.value_or("");
  if (sandbox.directory.empty()) {
    if (path.empty()) return sandbox.spec.cwd.empty() ? "~" : sandbox.spec.cwd;
    if (path.starts_with('/') || path.starts_with('~') || sandbox.spec.cwd.empty()) return path;
    return sandbox.spec.cwd + "/" + path;
  }
  if (path.empty()) return sandbox.directory;
  for (const std::string_view home : {std::string_view("~"), std::string_view(sandbox.spec.cwd)}) {
    if (const auto rest = below(path, home)) return sandbox.directory + std::string(*rest);
  }
  return path.starts_with('/') ? path : sandbox.directory + "/" + path;
}

}  // namespace talaria::sandboxes
