// Bringing back what was changed at a target in files that were copied there.
//
// A file whose content is not what was last the same on both sides takes the place of ours. If ours
// has changed as well, or it is unknown what was the same, a copy of ours is kept, and that is
// reported. A new file comes back if it is in a directory that some file was copied to, or deeper;
// not one beside a credential, which would let a target write our configuration. A file that was
// removed there stays here. No path of a target leads out of the shared directories.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/limits.h"
#include "base/task.h"
#include "environment/files.h"
#include "host/sync/sync_record.h"

namespace talaria::host {

struct SyncBackOptions {
  std::string home;                                  // one program of it at a time does this
  std::string base;                                  // at the target
  std::chrono::milliseconds retry = kSyncBackRetry;  // after the first failure, then twice that
  std::uint64_t most_bytes = kMaxSyncBackBytes;
};

struct SyncedBack {
  std::vector<std::string> notices;  // what somebody should know: conflicts, and what is left
  bool complete = true;              // nothing is left at the target
  PushedFiles same;                  // what is the same on both sides now and was not before
};

// The file that a program holds locked while it does this.
std::string sync_lock(const std::string& home);

// Tries three times. Cancelled: the file under way is not brought back, nor are those after it.
Task<SyncedBack> sync_back(environment::Files& files, PushedFiles pushed, SyncBackOptions options,
                           CancelToken cancel);

}  // namespace talaria::host
