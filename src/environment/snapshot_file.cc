#include "environment/snapshot_file.h"

#include <filesystem>

#include "environment/wait_for_lock.h"
#include "json/json_text.h"
#include "os/file.h"

namespace talaria::environment {
namespace {

constexpr std::size_t kMaxFile = 16u << 20;
constexpr std::chrono::seconds kLockPatience{5};

std::string path_of(const SnapshotFile& file) { return file.home + "/" + file.name + ".json"; }

Result<json::object> read(const SnapshotFile& file) {
  const std::string path = path_of(file);
  const auto text = os::read_file(path, kMaxFile);
  if (!text && text.error().code() == ENOENT) return json::object();
  if (!text) return fail(text.error());
  return parse_object(*text, path);
}

std::string text_of(const SnapshotFile& file, const json::object& snapshots) {
  if (!file.pretty) return to_line(snapshots) + "\n";
  std::string text = "{";
  for (const auto& [key, value] : snapshots) {
    text += text.size() == 1 ? "\n  " : ",\n  ";
    text += to_line(json::string(key)) + ": " + to_line(value);
  }
  return text + (snapshots.empty() ? "}\n" : "\n}\n");
}

}  // namespace

json::object read_snapshots(const SnapshotFile& file) {
  return read(file).value_or(json::object());
}

Task<Result<void>> change_snapshots(SnapshotFile file, std::function<void(json::object&)> change) {
  if (const auto made = os::make_private_directory(file.home + "/talaria"); !made) {
    co_return fail(made.error());
  }
  const auto lock =
      co_await wait_for_lock(file.home + "/talaria/" + file.name + ".lock", kLockPatience);
  if (!lock) co_return fail(lock.error());
  auto snapshots = read(file);
  if (!snapshots && !file.starts_anew) co_return fail(snapshots.error());
  if (!snapshots) {
    std::error_code ignored;
    std::filesystem::rename(path_of(file), path_of(file) + ".unreadable", ignored);
    snapshots.emplace();
  }
  const json::object before = *snapshots;
  change(*snapshots);
  if (*snapshots == before) co_return Result<void>();
  co_return os::replace_file(path_of(file), text_of(file, *snapshots));
}

}  // namespace talaria::environment
