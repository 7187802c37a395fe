// ProcessStore: where every process is, and how far its readers have read its output.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "host/store/home_database.h"

namespace talaria::host {

// Where a process is.
struct StoredProcess {
  std::string id;
  std::string task;
  std::string target;
  std::string environment;  // its target and id, as in "local/default"
  std::string instance;     // of the runner
  std::string session_key;
  std::string command;  // the beginning of it
  std::chrono::system_clock::time_point started;
  bool ended = false;
};

class ProcessStore {
 public:
  explicit ProcessStore(std::shared_ptr<HomeDatabase> home) : home_(std::move(home)) {}

  // Replaces what is there of it. Its end may have come first.
  Result<void> add(const StoredProcess& process);
  Result<std::optional<StoredProcess>> find(std::string_view id);
  Result<void> end(std::string_view id);
  Result<void> remove(std::string_view id);
  Result<std::vector<StoredProcess>> running_at(std::string_view environment);
  // For every environment that has processes, or had some that may still be looked at, one of them.
  Result<std::vector<StoredProcess>> one_per_environment();
  // Newest first; also those whose ID begins so after its "proc_".
  Result<std::vector<std::string>> ids_that_begin(std::string_view beginning);
  // The newest ones, whether they run or not, newest first.
  Result<std::vector<StoredProcess>> newest(std::size_t limit);

  // How far a reader of that name has read the output of a process; absent: it has not.
  Result<std::optional<std::uint64_t>> mark(std::string_view process, std::string_view name);
  Result<void> set_mark(std::string_view process, std::string_view name, std::uint64_t cursor);

  // Inside a transaction of another store.
  static Result<void> end_in(Database& database, std::string_view id);

 private:
  std::shared_ptr<HomeDatabase> home_;
};

}  // namespace talaria::host
