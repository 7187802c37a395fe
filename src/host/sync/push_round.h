// One round of copying what of the home is shared to a target, and of removing what is no longer
// shared.
//
// A file that only we changed replaces theirs. One that somebody changed there stays, and comes
// back at the end. Where it is unknown what both sides last had, the newer one wins; if that is
// ours, a copy of theirs is kept first. The target checks that what is replaced is still what the
// round has seen.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/task.h"
#include "environment/files.h"
#include "host/shared/shared_files.h"
#include "host/sync/sync_record.h"

namespace talaria::host {

// What a round does with a file of ours.
enum class PushStep {
  nothing,  // theirs is the same, or was changed and stays
  note,     // theirs has the same time and size, or is newer and of unknown origin: stays, too
  replace,  // ours goes there
  compare,  // the same, but if theirs has another content, it is kept first
};
// Of theirs and what is known, null: there is none.
PushStep push_step(const os::FileFacts& ours, const os::FileFacts* theirs, const PushedFile* known);

struct PushRoundOptions {
  std::string home;
  std::string base;  // at the target
  bool all = false;  // also looks at what is known and has not changed here
};

struct PushResult {
  PushedFiles known;              // afterwards
  std::set<std::string> changed;  // those of which that is new
  std::vector<std::string> notices;
};

// An error: nothing is known that was not known before. `result.notices` counts also then.
// `files`, `list` and `result` outlive it.
Task<Result<void>> push_round(environment::Files& files, const SharedList& list,
                              PushRoundOptions options, CancelToken cancel, PushResult& result);

}  // namespace talaria::host
