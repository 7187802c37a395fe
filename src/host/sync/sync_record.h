// SyncRecord: what was last the same here and at one target. It outlives the program, so that the
// next one knows which side changed a file, whatever the clocks of both say.
//
// One file for each target, below <home>/talaria/sync/record. Programs of a home share it. Without
// it nothing is lost: a file of unknown origin is replaced only after a copy of it was kept.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/result.h"
#include "base/task.h"
#include "host/shared/shared_files.h"

namespace talaria::host {

// What is known to be at a target because it was copied there, or came from there.
struct PushedFile {
  SharedFile from;      // with its time and size then
  os::FileFacts there;  // as the copy was then
  std::string sha256;   // of both; empty: unknown
};

using PushedFiles = std::map<std::string, PushedFile>;  // by the path below the target's base

inline bool is_unchanged(const os::FileFacts& now, const os::FileFacts& then) {
  return now.mtime_ns == then.mtime_ns && now.size == then.size;
}

// Whether both sides were the same then. Copies keep time and size.
inline bool was_same(const PushedFile& file) {
  return !file.sha256.empty() || is_unchanged(file.from.facts, file.there);
}

class SyncRecord {
 public:
  // `target`: where the copies are.
  SyncRecord(const std::string& home, const std::string& target);

  // All of it, if it was written since the last call.
  std::optional<PushedFiles> read_if_changed();

  // Writes what `now` says of these paths; those that it does not have are removed.
  Task<Result<void>> change(std::set<std::string> paths, const PushedFiles& now);

  // The copies are gone.
  void remove() const;

 private:
  std::string directory_;
  std::string path_;
  std::optional<os::FileFacts> seen_;  // of the file that was read or written last
};

}  // namespace talaria::host
