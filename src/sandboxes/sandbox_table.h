// SandboxTable: the sandboxes of a home that are not terminated, and the store that remembers them.
// One program at a time has the table of a home.
#pragma once

#include <talaria/sandbox.h>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "base/event.h"
#include "base/result.h"
#include "base/task.h"
#include "host/store/log_copy.h"
#include "host/store/sandbox_store.h"
#include "host/store/store_turns.h"
#include "os/unique_fd.h"

namespace talaria::sandboxes {

struct Sandbox {
  host::StoredSandbox stored;
  std::size_t live = 0;  // execs
  std::chrono::system_clock::time_point use_written;
  std::string instance;                     // of its runner, as it was seen last
  std::unique_ptr<AsyncEvent> creating;     // while it is created; notified at the end
  std::optional<Error> failure;             // why it could not be created
  std::unique_ptr<AsyncEvent> terminating;  // while it is terminated; notified at the end
  Termination termination;                  // how that ended

  SandboxInfo& info() { return stored.info; }
  const SandboxInfo& info() const { return stored.info; }
};
using SandboxPtr = std::shared_ptr<Sandbox>;

// What one owner has, in sandboxes that are not terminated.
struct OwnerCounts {
  std::size_t sandboxes = 0;
  std::size_t execs = 0;  // that have not ended
};

class SandboxTable {
 public:
  // Locks the home, opens its store and loads the sandboxes. Before all else.
  Result<void> open(const std::string& home);

  host::SandboxStore& store() { return *store_; }
  const std::string& home() const { return home_; }
  // What `work` returns for the store, a Result; see StoreTurns. `*this` outlives the call.
  template <class Work>
  Task<std::invoke_result_t<Work&, host::SandboxStore&>> patiently(Work work) {
    return host::StoreTurns::take(
        turns_, [this, work = std::move(work)]() mutable { return work(*store_); },
        [this](const asio::any_io_executor& loop) {
          log_copy_.start_if_due(store_->database(), loop);
        });
  }
  const std::map<std::string, SandboxPtr>& all() const { return sandboxes_; }

  SandboxPtr add(host::StoredSandbox stored);
  void erase(const std::string& id);
  void add_exec(Sandbox& sandbox);
  void remove_exec(Sandbox& sandbox);
  OwnerCounts counts(const std::string& owner) const;
  SandboxPtr find(const std::string& id) const;  // null: there is none
  // Errors (not_found) if it belongs to another owner; the second also while it is terminated.
  Result<SandboxPtr> find_owned(const std::string& owner, const std::string& id) const;
  Result<SandboxPtr> find_running(const std::string& owner, const std::string& id) const;

 private:
  std::string home_;
  os::UniqueFd lock_;
  std::optional<host::SandboxStore> store_;
  std::shared_ptr<host::StoreTurns> turns_ = std::make_shared<host::StoreTurns>();
  host::LogCopy log_copy_;
  std::map<std::string, SandboxPtr> sandboxes_;
  std::unordered_map<std::string, OwnerCounts> owners_;  // those with sandboxes
};

}  // namespace talaria::sandboxes
