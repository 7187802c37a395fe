#include "host/store/store.h"

#include <unistd.h>

#include "base/limits.h"
#include "host/store/home_database.h"
#include "host/store/stored_time.h"

namespace talaria::host {

Result<Store> Store::open(const std::string& home) {
  auto database = open_home_database(home);
  if (!database) return fail(database.error());
  return Store(home, std::move(*database));
}

bool Store::exists(const std::string& home) {
  return ::access(home_database_path(home).c_str(), F_OK) == 0;
}

// What is written to a file that was removed is lost to everybody.
Result<void> Store::ready() {
  if (database_.is_in_place()) return {};
  auto database = open_home_database(home_);
  if (!database) return fail(database.error());
  database_ = std::move(*database);
  return {};
}

Result<std::uint64_t> Store::cursor(std::string_view consumer) {
  if (const auto there = ready(); !there) return fail(there.error());
  Query query(database_, "SELECT cursor FROM consumers WHERE name = ?", consumer);
  const auto row = query.next();
  if (!row) return fail(row.error());
  return *row ? query.count(0) : 0;
}

Result<void> Store::move_cursor(std::string_view consumer, std::uint64_t id) {
  if (const auto there = ready(); !there) return there;
  return database_.run(
      "INSERT INTO consumers (name, cursor, moved) VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE "
      "SET cursor = excluded.cursor, moved = excluded.moved WHERE excluded.cursor > cursor",
      consumer, id, now_stored());
}

Result<void> Store::mark_consumed(std::string_view process) {
  if (const auto there = ready(); !there) return there;
  auto transaction = Transaction::begin(database_);
  if (!transaction) return fail(transaction.error());
  const auto marked =
      database_.run("INSERT INTO consumed (process, stored) VALUES (?, ?) ON CONFLICT DO NOTHING",
                    process, now_stored());
  if (!marked) return marked;
  if (const auto ended = set_ended(process); !ended) return ended;
  return transaction->commit();
}

Result<bool> Store::is_consumed(std::string_view process) {
  if (const auto there = ready(); !there) return fail(there.error());
  return Query(database_, "SELECT 1 FROM consumed WHERE process = ?", process).next();
}

Result<std::optional<std::uint64_t>> Store::mark(std::string_view process, std::string_view name) {
  if (const auto there = ready(); !there) return fail(there.error());
  Query query(database_, "SELECT cursor FROM marks WHERE process = ? AND name = ?", process, name);
  const auto row = query.next();
  if (!row) return fail(row.error());
  return *row ? std::optional(query.count(0)) : std::nullopt;
}

Result<void> Store::set_mark(std::string_view process, std::string_view name,
                             std::uint64_t cursor) {
  if (const auto there = ready(); !there) return there;
  return database_.run(
      "INSERT INTO marks (process, name, cursor, stored) VALUES (?, ?, ?, ?) ON CONFLICT (process, "
      "name) DO UPDATE SET cursor = excluded.cursor, stored = excluded.stored",
      process, name, cursor, now_stored());
}

Result<std::int64_t> Store::change_number() {
  if (const auto there = ready(); !there) return fail(there.error());
  Query query(database_, "PRAGMA data_version");
  const auto row = query.next();
  if (!row) return fail(row.error());
  return query.number(0);
}

}  // namespace talaria::host
