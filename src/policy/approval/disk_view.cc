#include "policy/approval/disk_view.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "os/file.h"

namespace talaria::policy {
namespace {

// The links of this machine.
class LocalLinks final : public guard::LinkSource {
 public:
  std::optional<std::string> target_of(const std::string& path) const override {
    std::array<char, PATH_MAX> target;
    const ssize_t size = ::readlink(path.c_str(), target.data(), target.size());
    if (size <= 0) return std::nullopt;
    return std::string(target.data(), static_cast<std::size_t>(size));
  }

  std::vector<std::string> names_in(const std::string& directory) const override {
    constexpr int kMostEntries = 10'000;
    std::vector<std::string> names;
    std::error_code failed;
    int left = kMostEntries;
    for (std::filesystem::directory_iterator entry(directory, failed), end;
         !failed && entry != end && left-- > 0; entry.increment(failed)) {
      if (entry->is_symlink(failed)) names.push_back(entry->path().filename());
    }
    return names;
  }
};

// The nearest directory above that has a repository, but no home: dotfiles are in none of its
// projects.
std::string repository_of(const guard::GuardContext& context, const std::string& directory) {
  std::string at = directory;
  while (at.size() > 1 && at != context.home && at != context.real_home) {
    const std::size_t size = at.size();
    struct stat found;
    if (::lstat(at.append("/.git").c_str(), &found) == 0) return at.substr(0, size);
    at.resize(at.rfind('/', size - 1));
  }
  return "";
}

// Below the directory, or the directory itself.
bool is_below(std::string_view path, std::string_view directory) {
  return path.starts_with(directory) &&
         (path.size() == directory.size() || path[directory.size()] == '/');
}

}  // namespace

void look_at_disk(guard::GuardContext& context, const std::vector<std::string>& workplaces) {
  static const LocalLinks links;
  if (context.target != "local") return;
  context.links = &links;
  if (!context.home.empty()) context.real_home = os::without_links(context.home);
  if (!context.directory.starts_with('/')) return;
  const auto is_in = [&](const std::string& place) {
    return place.starts_with('/') && is_below(context.directory, place);
  };
  if (std::ranges::none_of(workplaces, is_in)) {
    for (const std::string& place : workplaces) {
      if (!place.starts_with('/')) continue;
      std::string repository = repository_of(context, os::without_links(place));
      if (repository.empty()) continue;
      const bool here = is_below(context.directory, repository);
      if (context.project.empty() || here) context.repository = repository;
      if (context.project.empty()) context.project = std::move(repository);
      if (here) return context.project.clear();
    }
    if (!context.project.empty()) return;
  }
  context.repository = repository_of(context, context.directory);
}

}  // namespace talaria::policy
