// HomeDatabase: the one database of a home, <home>/talaria/talaria.db, which holds what outlives
// the programs that use it. The stores beside this file have one class for each kind of thing in
// it. Several programs use it at once. Calls take microseconds but may wait for another program
// that writes; for one thread at a time.
//
// Events, processes and approvals are kept for a while only (base/limits.h), and cleared up as
// things are added.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "base/task.h"
#include "host/store/database.h"
#include "host/store/log_copy.h"
#include "host/store/store_turns.h"

namespace talaria::host {

std::string home_database_path(const std::string& home);

// How a call waits for another program that holds the database: here; or, where it would block an
// event loop, by StoreTurns (Database::be_quick()). Creating a database waits here.
enum class StoreWait { here, on_loop };

// Made if it is not there, with the tables of this version.
Result<Database> open_home_database(const std::string& home, StoreWait wait = StoreWait::here);

class HomeDatabase {
 public:
  explicit HomeDatabase(std::string home, StoreWait wait = StoreWait::here)
      : home_(std::move(home)), wait_(wait) {}
  HomeDatabase(const HomeDatabase&) = delete;
  HomeDatabase& operator=(const HomeDatabase&) = delete;

  // Something was stored once. Nothing is opened, and nothing is created.
  bool exists() const;

  // Opened when it is first needed, and again if its file was removed: what is written to such a
  // file is lost to everybody. The pointer is good until the next call.
  Result<Database*> get();

  // As those of Database.
  template <class... Values>
  Result<void> run(std::string_view sql, const Values&... values) {
    return with([&](Database& database) { return database.run(sql, values...); });
  }
  template <class Read, class... Values>
  auto first(Read read, std::string_view sql, const Values&... values) {
    return with([&](Database& database) { return database.first(read, sql, values...); });
  }
  template <class Read, class... Values>
  auto all(Read read, std::string_view sql, const Values&... values) {
    return with([&](Database& database) { return database.all(read, sql, values...); });
  }
  template <class... Values>
  Result<std::uint64_t> first_count(std::string_view sql, const Values&... values) {
    return with([&](Database& database) { return database.first_count(sql, values...); });
  }

  // On an event loop: see StoreTurns. `work` keeps alive what it uses.
  template <class Work>
  Task<std::invoke_result_t<Work&>> patiently(Work work) {
    return StoreTurns::take(turns_, std::move(work), [this](const asio::any_io_executor& loop) {
      if (database_) log_copy_.start_if_due(*database_, loop);
    });
  }

  // Clears up. Happens by itself, now and then: the program that adds the row that makes the next
  // kStorePruneEvery full does it for all.
  Result<void> prune(std::chrono::system_clock::time_point now);
  void prune_if_due(std::int64_t before, std::int64_t after);

 private:
  template <class Work>
  std::invoke_result_t<Work, Database&> with(Work work) {
    const auto database = get();
    if (!database) return fail(database.error());
    return work(**database);
  }

  std::string home_;
  StoreWait wait_;
  std::optional<Database> database_;
  std::shared_ptr<StoreTurns> turns_ = std::make_shared<StoreTurns>();
  LogCopy log_copy_;
};

}  // namespace talaria::host
