#include "environment/singularity/snapshots.h"

#include "environment/snapshot_file.h"

namespace talaria::environment::singularity {
namespace {

SnapshotFile file_of(std::string home) {
  return {.home = std::move(home), .name = "singularity_snapshots"};
}

}  // namespace

Task<Result<void>> note_snapshot(std::string home, std::string task, std::string overlay) {
  return change_snapshots(file_of(std::move(home)),
                          [task = std::move(task), overlay = std::move(overlay)](
                              json::object& snapshots) { snapshots[task] = overlay; });
}

Task<Result<void>> forget_snapshot(std::string home, std::string task) {
  return change_snapshots(
      file_of(std::move(home)),
      [task = std::move(task)](json::object& snapshots) { snapshots.stable_erase(task); });
}

}  // namespace talaria::environment::singularity
