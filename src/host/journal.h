// Journal: what this home remembers of processes (process_ledger.h), and the events of its
// environments (event_feed.h).
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "base/task.h"
#include "environment/environment.h"
#include "host/event_feed.h"
#include "host/process_ledger.h"

namespace talaria::host {

class Journal {
 public:
  explicit Journal(const std::string& home)
      : ledger_(std::make_shared<ProcessLedger>(home)), events_(ledger_) {}

  ProcessLedger& ledger() { return *ledger_; }
  EventFeed& events() { return events_; }

  // Records where a process is; `process` says whose it is and in which environment (its key). The
  // first does not wait for other programs that use the store.
  Result<void> try_process_started(environment::Environment& environment, StoredProcess process);
  Task<Result<void>> process_started(environment::Environment& environment, StoredProcess process);

  // Whether a background process runs in `environment`, whose key is given. Only an environment
  // that has recorded processes is asked: a runner that has nothing to do may have ended.
  Task<Result<bool>> has_running(std::shared_ptr<environment::Environment> environment,
                                 std::string key);

 private:
  std::shared_ptr<ProcessLedger> ledger_;
  EventFeed events_;
};

}  // namespace talaria::host
