#include "policy/approval/disk_view.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <filesystem>
#include <optional>
#include <string>
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
std::string repository_of(const guard::GuardContext& context) {
  std::filesystem::path at(context.directory);
  while (at.has_relative_path() && at != context.home && at != context.real_home) {
    struct stat found;
    if (::lstat((at / ".git").c_str(), &found) == 0) return at;
    at = at.parent_path();
  }
  return "";
}

}  // namespace

void look_at_disk(guard::GuardContext& context) {
  static const LocalLinks links;
  if (context.target != "local") return;
  context.links = &links;
  if (!context.home.empty()) context.real_home = os::without_links(context.home);
  if (context.directory.starts_with('/')) context.repository = repository_of(context);
}

}  // namespace talaria::policy
