// Any text as a patch, for any file: it is read or refused, and what it makes of the file is about
// that file, says what it was, and touches nothing the patch does not name.

#include <algorithm>
#include <string>

#include "base/text.h"
#include "edit/v4a_plan.h"
#include "fuzz/input.h"

namespace talaria {
namespace {

void check_operations(const std::vector<edit::PatchOperation>& operations) {
  require(!operations.empty());
  for (const edit::PatchOperation& operation : operations) {
    require(!operation.path.empty());
    require(operation.action != edit::PatchAction::move || !operation.move_to.empty());
    require(operation.action == edit::PatchAction::update || operation.hunks.empty());
    for (const edit::Hunk& hunk : operation.hunks) require(!hunk.lines.empty());
  }
}

void check(Input input) {
  std::string_view rest = input.rest();
  const std::string content(next_word(rest, '\x1e'));
  const auto operations = edit::parse_patch(rest);
  if (!operations) {
    require(operations.error().starts_with("Failed to parse patch: Parse error: "));
    return;
  }
  check_operations(*operations);
  const auto paths = edit::patch_paths(*operations);

  // Every other file exists, with the same content.
  const auto exists = [&](const std::string& path) { return path.size() % 2 == 1; };
  const auto plan = edit::plan_patch(
      *operations, [&](const std::string& path) -> Result<std::optional<std::string>> {
        require(std::ranges::find(paths, path) != paths.end());
        if (!exists(path)) return std::nullopt;
        return content;
      });
  if (!plan) {
    require(plan.error().starts_with("Patch validation failed (no files were modified):\n"));
    return;
  }
  for (const edit::FileChange& change : plan->changes) {
    require(std::ranges::find(paths, change.path) != paths.end());
    require(change.kind == edit::FileChange::Kind::create || change.before == content);
    require(change.kind == edit::FileChange::Kind::create ||
            change.kind == edit::FileChange::Kind::move || exists(change.path));
  }
  edit::plan_diff(*plan);
}

}  // namespace
}  // namespace talaria

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  talaria::check(talaria::Input(data, size));
  return 0;
}
