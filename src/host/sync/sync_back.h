// Bringing back what was changed at a target in files that were copied there.
//
// A file whose content is not what was copied takes the place of ours; if both sides wrote, a copy
// of ours is kept, and that is reported. So does a new file in a directory that some file was
// copied to, or deeper; not one beside a credential, which would let a target write our
// configuration. A file that was removed there stays here. No path of a target leads out of the
// shared directories.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/limits.h"
#include "base/task.h"
#include "environment/files.h"
#include "host/shared/shared_files.h"

namespace talaria::host {

// What is known to be at a target because it was copied there.
struct PushedFile {
  SharedFile from;      // with its time and size when it was copied
  os::FileFacts there;  // as the copy was then
  std::string sha256;   // of what was copied; empty: it was there before, and is as new or newer
};

using PushedFiles = std::map<std::string, PushedFile>;  // by the path below the target's base

inline bool is_unchanged(const os::FileFacts& now, const os::FileFacts& then) {
  return now.mtime_ns == then.mtime_ns && now.size == then.size;
}

struct SyncBackOptions {
  std::string home;                                  // one program of it at a time does this
  std::string base;                                  // at the target
  std::chrono::milliseconds retry = kSyncBackRetry;  // after the first failure, then twice that
  std::uint64_t most_bytes = kMaxSyncBackBytes;
};

struct SyncedBack {
  std::vector<std::string> notices;  // what somebody should know: conflicts, and what is left
  bool complete = true;              // nothing is left at the target
};

// The file that a program holds locked while it does this.
std::string sync_lock(const std::string& home);

// Tries three times. Cancelled: the file under way is not brought back, nor are those after it.
Task<SyncedBack> sync_back(environment::Files& files, PushedFiles pushed, SyncBackOptions options,
                           CancelToken cancel);

}  // namespace talaria::host
