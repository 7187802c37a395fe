// ProcessLedger: what this home remembers of processes in its store: where each is, who has read
// how far, and whose end has been reported. The database is opened when it is first needed.
#pragma once

#include <talaria/process.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "host/store/event_store.h"
#include "host/store/home_database.h"
#include "host/store/process_store.h"

namespace talaria::host {

class ProcessLedger {
 public:
  explicit ProcessLedger(std::string home)
      : database_(std::make_shared<HomeDatabase>(std::move(home), StoreWait::on_loop)) {}

  // Something was written down once; nothing is opened for that.
  bool exists() const { return database_->exists(); }
  // For the other stores of this home.
  const std::shared_ptr<HomeDatabase>& database() const { return database_; }

  // The first may fail because another program writes just then; the second waits for that.
  Result<void> try_started(const StoredProcess& process);
  Task<Result<void>> started(StoredProcess process);
  // Although that was written down. It is certain, or the answer was lost.
  void not_started(const std::string& id);
  void may_have_started(const std::string& id);
  // Nothing if it is not known here.
  Result<std::optional<StoredProcess>> find(const std::string& id);
  Result<std::string> full_id(const std::string& beginning);  // see AsioProcesses
  // A process that the runner at its target, `instance`, does not know: how it ended under a runner
  // before that one. Lost, if that is not known; nothing if this runner has forgotten it.
  std::optional<ProcessInfo> find_ended(const std::string& id, const std::string& instance);
  // Those that have not ended as far as is known, and those that may still be looked at.
  Result<std::vector<StoredProcess>> lately();

  // Those that are written down as running in an environment.
  Result<std::vector<StoredProcess>> running_at(const std::string& environment);

  // Somebody has read that it ended, so that nobody needs to be notified.
  Task<void> end_reported(std::string id);

  Result<std::uint64_t> mark(const std::string& process, const std::string& name);  // 0: a new one
  Task<Result<void>> set_mark(std::string process, std::string name, std::uint64_t cursor);

 private:
  std::shared_ptr<HomeDatabase> database_;
  ProcessStore processes_{database_};
  EventStore events_{database_};
};

}  // namespace talaria::host
