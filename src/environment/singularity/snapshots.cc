#include "environment/singularity/snapshots.h"

#include "environment/wait_for_lock.h"
#include "json/json_text.h"
#include "os/file.h"

namespace talaria {
namespace {

constexpr std::size_t kMaxFile = 16u << 20;
constexpr std::chrono::seconds kLockPatience{5};

// Changes what the file says, if it does not say so already; an empty overlay takes the task out.
Task<Result<void>> set_snapshot(std::string home, std::string task, std::string overlay) {
  if (const auto made = make_private_directory(home + "/talaria"); !made) {
    co_return fail(made.error());
  }
  const auto lock =
      co_await wait_for_lock(home + "/talaria/singularity_snapshots.lock", kLockPatience);
  if (!lock) co_return fail(lock.error());
  const std::string path = home + "/singularity_snapshots.json";
  json::object snapshots;
  const auto text = read_file(path, kMaxFile);
  if (!text && text.error().code() != ENOENT) co_return fail(text.error());
  if (text) {
    auto parsed = parse_object(*text, path);
    if (!parsed) co_return fail(parsed.error());
    snapshots = std::move(*parsed);
  }
  const json::value* const known = snapshots.if_contains(task);
  if (known ? *known == json::value(overlay) : overlay.empty()) co_return Result<void>();
  if (overlay.empty()) {
    snapshots.erase(task);
  } else {
    snapshots[task] = overlay;
  }
  co_return replace_file(path, to_line(snapshots) + "\n");
}

}  // namespace

Task<Result<void>> note_snapshot(std::string home, std::string task, std::string overlay) {
  return set_snapshot(std::move(home), std::move(task), std::move(overlay));
}

Task<Result<void>> forget_snapshot(std::string home, std::string task) {
  return set_snapshot(std::move(home), std::move(task), "");
}

}  // namespace talaria
