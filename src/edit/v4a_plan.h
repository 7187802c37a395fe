// What a patch makes of the files it names: all of it, or nothing but the reasons why not. Each
// operation sees what the ones before it did, so a file may be added and then updated, moved and
// then updated, deleted and then added.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "edit/v4a.h"

namespace talaria::edit {

// The bytes of a file; nothing if there is none; an error if there is something else, or it cannot
// be read.
using ReadPatchedFile = std::function<Result<std::optional<std::string>>(const std::string& path)>;

struct FileChange {
  enum class Kind { create, modify, remove, move };

  Kind kind;
  std::string path;  // where it is afterwards; of remove, where it was
  std::string from;  // of move; it may have been modified as well
  std::string before;
  std::string after;

  bool operator==(const FileChange&) const = default;
};

struct PatchPlan {
  // At most one for each path, against what is on disk, but for a file that is removed before
  // another moves to its place. Their order matters to nobody who prepares all of them before the
  // first one is made; two files may trade places.
  std::vector<FileChange> changes;
};

// The error is complete: every operation that does not apply, and why.
std::expected<PatchPlan, std::string> plan_patch(const std::vector<PatchOperation>& operations,
                                                 const ReadPatchedFile& read);

// The diffs of all changes, one behind the other. Bytes of the files: not necessarily UTF-8.
std::string plan_diff(const PatchPlan& plan);

}  // namespace talaria::edit
