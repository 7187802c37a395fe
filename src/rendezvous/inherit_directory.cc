#include "rendezvous/inherit_directory.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "os/directory.h"
#include "os/file_lock.h"

namespace talaria::rendezvous {
namespace {

namespace fs = std::filesystem;

// "run-TASK-" of "run-TASK-PLACE"; empty if it is not called so.
std::string common_part(const std::string& name) {
  if (!name.starts_with("run-")) return {};
  const std::size_t dash = name.rfind('-');
  return dash > 4 ? name.substr(0, dash + 1) : "";
}

bool take_over(const fs::path& abandoned, const RunnerPlace& place) {
  const RunnerPlace old{abandoned.string()};
  const auto starting = os::try_lock_file(old.start_lock());
  if (!starting || !*starting) return false;
  const auto living = os::try_lock_file(old.lock());
  if (!living || !*living) return false;
  std::error_code error;
  fs::rename(abandoned, place.directory, error);
  return !error;
}

}  // namespace

void inherit_directory(const RunnerPlace& place) {
  const fs::path directory = place.directory;
  const std::string common = common_part(directory.filename().string());
  std::error_code ignored;
  if (common.empty() || fs::exists(directory, ignored)) return;
  std::vector<std::pair<fs::file_time_type, fs::path>> found;
  for (const std::string& name : os::names_in(directory.parent_path().string())) {
    const fs::path other = directory.parent_path() / name;
    if (!name.starts_with(common) || !os::is_plain_directory(other.string())) continue;
    found.emplace_back(fs::last_write_time(other, ignored), other);
  }
  std::ranges::sort(found, std::greater());
  for (const auto& [time, other] : found) {
    if (take_over(other, place)) return;
  }
}

}  // namespace talaria::rendezvous
