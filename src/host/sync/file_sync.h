// FileSync: keeps what of the home is shared (shared/shared_files.h) up to date at one target that
// is reached over a link, and brings back what was changed there.
//
// What was last the same on both sides is written down (sync_record.h). A round that fails changes
// nothing of that: the next one repeats all of it. It never fails a command; a failure is reported
// as a notice.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/event.h"
#include "base/limits.h"
#include "base/task.h"
#include "environment/files.h"
#include "host/shared/shared_files.h"
#include "host/sync/sync_back.h"

namespace talaria::host {

struct FileSyncOptions {
  std::string home;                // where received files and the record are, and the lock
  std::string target = {};         // where the copies are: one record for each
  bool outlives = false;           // the copies stay there, whatever becomes of the environment
  std::string base = "~/.hermes";  // at the target
  bool always = false;             // before every command (HERMES_FORCE_FILE_SYNC)
  std::chrono::milliseconds pause = kSyncPause;      // between two rounds
  std::chrono::milliseconds retry = kSyncBackRetry;  // of bringing back; then twice that
};

class FileSync {
 public:
  // `list`: what is shared now.
  FileSync(FileSyncOptions options, std::function<SharedList()> list)
      : options_(std::move(options)),
        list_(std::move(list)),
        record_(options_.home, options_.base + "\n" + options_.target) {}

  // Before a command: copies what is new or has changed, then removes what is no longer shared.
  // Does nothing if that was tried a moment ago; waits for a round that is under way. Returns
  // notices.
  Task<std::vector<std::string>> push(environment::Files& files, CancelToken cancel);

  // At the end: brings back what was changed at the target, as sync_back.h says. Nothing if nothing
  // was ever copied there.
  Task<SyncedBack> pull(environment::Files& files, CancelToken cancel);

  // The copies are gone, with the target.
  void forget() const { record_.remove(); }

  const PushedFiles& pushed() const { return pushed_; }

 private:
  class Turn;
  bool is_due() const;
  void learn(const SharedList& list);
  void learn_again();
  Task<Result<void>> run_round(environment::Files& files, const SharedList& list,
                               CancelToken cancel, std::vector<std::string>& notices);

  FileSyncOptions options_;
  std::function<SharedList()> list_;
  SyncRecord record_;
  PushedFiles pushed_;
  bool has_looked_ = false;         // this program, at all that is shared
  std::string last_failure_;        // of the last round; empty: it worked
  std::set<std::string> reported_;  // notices, once each
  std::optional<std::chrono::steady_clock::time_point> last_attempt_;
  std::shared_ptr<AsyncEvent> under_way_;  // set when the round is over
};

}  // namespace talaria::host
