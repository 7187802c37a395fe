// SandboxStore: what the gateway remembers of sandboxes and of what ran in them, in the database of
// the home. One program at a time uses it (the gateway has a lock); calls take microseconds.
#pragma once

#include <talaria/sandbox.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "host/store/database.h"

namespace talaria::host {

struct StoredSandbox {
  SandboxInfo info;
  std::string request;  // the idempotency key; empty: none
  std::string digest;   // of what was asked for with it
  bool keep = false;    // of one that is being terminated: with a snapshot
};

struct StoredExec {
  std::int64_t number = 0;
  std::string sandbox;
  ExecSpec spec;
  ExecInfo info;
  std::string instance;  // of the runner that was asked to start it; empty: none was
  // The command and the input are too large for the store, which does not keep them.
  bool texts_apart = false;
};

class SandboxStore {
 public:
  static Result<SandboxStore> open(const std::string& home);
  const Database& database() const { return database_; }

  // Nothing: it was added. Else the one that was asked for with the same key before.
  Result<std::optional<StoredSandbox>> add(const StoredSandbox& sandbox);
  Result<std::optional<StoredSandbox>> find(std::string_view id);
  // All but those that were terminated, oldest first.
  Result<std::vector<StoredSandbox>> live();
  Result<void> set_running(const SandboxInfo& sandbox);
  // `keep`: its snapshot is to be made before it is gone.
  Result<void> set_terminating(std::string_view id, bool keep);
  // With what is remembered of its execs.
  Result<void> set_terminated(std::string_view id);
  Result<void> forget(std::string_view id);  // it could not be made
  Result<void> set_used(std::string_view id, std::chrono::system_clock::time_point when);

  // Its number. Nothing: there was one of this id in this sandbox before.
  Result<std::optional<std::int64_t>> add_exec(const StoredExec& exec);
  Result<std::optional<StoredExec>> find_exec(std::string_view sandbox, std::string_view id);
  // Without their input and output, oldest first.
  Result<std::vector<StoredExec>> execs_of(std::string_view sandbox);
  Result<std::vector<StoredExec>> live_execs();
  // A runner is about to be asked to start it.
  Result<void> exec_sent(std::int64_t number, std::string_view instance);
  // What it was is forgotten, but for its command as it may be shown.
  Result<void> exec_ended(std::int64_t number, const ExecInfo& info, std::string_view command);

  // Where the newest snapshot is; empty: there is none.
  Result<std::string> snapshot(std::string_view owner, std::string_view key,
                               std::string_view target);
  Result<void> set_snapshot(std::string_view owner, std::string_view key, std::string_view target,
                            std::string_view place);

  // Forgets those that were terminated before.
  Result<void> prune(std::chrono::system_clock::time_point oldest);

 private:
  explicit SandboxStore(Database database) : database_(std::move(database)) {}

  Database database_;
};

}  // namespace talaria::host
