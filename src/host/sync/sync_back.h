// Bringing back what was changed at a target in files that were copied there.
//
// A file whose content is not what was copied takes the place of ours: the last writer wins, and if
// both sides wrote, that is told. So does a file that is new, if it is in a directory some file was
// copied to, or deeper; not one beside a credential, which would let a target write our
// configuration. What is gone there stays here. Nothing that a target says leads out of the
// directories that are shared.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/limits.h"
#include "base/task.h"
#include "environment/files.h"
#include "host/sync/pushed_files.h"

namespace talaria::host {

struct SyncBackOptions {
  std::string lock;                                  // a file: one program of this home at a time
  std::string base;                                  // at the target
  std::chrono::milliseconds retry = kSyncBackRetry;  // after the first failure, then twice that
  std::uint64_t most_bytes = kMaxSyncBackBytes;
};

struct SyncedBack {
  std::vector<std::string> notices;  // what somebody should know: conflicts, and what is left
  bool complete = true;              // nothing is left at the target
};

// Tries three times.
Task<SyncedBack> sync_back(environment::Files& files, PushedFiles pushed, SyncBackOptions options);

}  // namespace talaria::host
