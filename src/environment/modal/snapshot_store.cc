#include "environment/modal/snapshot_store.h"

#include <vector>

#include "environment/snapshot_file.h"

namespace talaria::environment::modal {
namespace {

SnapshotFile file_of(std::string home) {
  return {.home = std::move(home), .name = "modal_snapshots", .pretty = true, .starts_anew = true};
}

// Today's form first. The older one of a task "direct:a" would be today's of a task "a".
std::vector<std::string> keys_of(const std::string& task) {
  const std::string prefix = "direct:";
  if (task.starts_with(prefix)) return {prefix + task};
  return {prefix + task, task};
}

}  // namespace

std::optional<std::string> find_modal_snapshot(const std::string& home, const std::string& task) {
  const json::object snapshots = read_snapshots(file_of(home));
  for (const std::string& key : keys_of(task)) {
    const json::value* const image = snapshots.if_contains(key);
    if (image && image->is_string() && !image->get_string().empty()) {
      return std::string(image->get_string());
    }
  }
  return std::nullopt;
}

Task<Result<void>> store_modal_snapshot(std::string home, std::string task, std::string image) {
  const auto change = [task = std::move(task), image = std::move(image)](json::object& snapshots) {
    const std::vector<std::string> keys = keys_of(task);
    for (std::size_t older = 1; older < keys.size(); ++older) snapshots.stable_erase(keys[older]);
    snapshots[keys.front()] = image;
  };
  return change_snapshots(file_of(std::move(home)), change);
}

Task<Result<void>> drop_modal_snapshot(std::string home, std::string task, std::string image) {
  const auto change = [task = std::move(task), image = std::move(image)](json::object& snapshots) {
    for (const std::string& key : keys_of(task)) {
      const json::value* const known = snapshots.if_contains(key);
      if (known && *known == json::value(image)) snapshots.stable_erase(key);
    }
  };
  return change_snapshots(file_of(std::move(home)), change);
}

Task<Result<void>> forget_modal_snapshot(std::string home, std::string task) {
  const auto change = [task = std::move(task)](json::object& snapshots) {
    for (const std::string& key : keys_of(task)) snapshots.stable_erase(key);
  };
  return change_snapshots(file_of(std::move(home)), change);
}

}  // namespace talaria::environment::modal
