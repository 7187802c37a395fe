#include "host/store/process_store.h"

#include "base/limits.h"
#include "base/text.h"
#include "host/store/stored_values.h"

namespace talaria::host {
namespace {

#define TALARIA_PROCESS_COLUMNS \
  "id, task, target, environment, instance, session_key, command, started, ended"

StoredProcess read_process(const Query& row) {
  return {.id = row.text(0),
          .task = row.text(1),
          .target = row.text(2),
          .environment = row.text(3),
          .instance = row.text(4),
          .session_key = row.text(5),
          .command = row.text(6),
          .started = time_of(row.number(7)),
          .ended = !row.is_null(8)};
}

}  // namespace

Result<void> ProcessStore::add(const StoredProcess& process) {
  const auto database = home_->get();
  if (!database) return fail(database.error());
  const std::int64_t now = now_stored();
  const auto added = (*database)->run(
      "INSERT INTO processes (id, task, target, environment, instance, session_key, command, "
      "started, stored, ended) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, CASE ?10 WHEN 1 THEN ?9 "
      "ELSE (SELECT stored FROM events WHERE type = 0 AND process = ?1 AND process <> '') END) "
      "ON CONFLICT (id) DO UPDATE SET task = excluded.task, target = excluded.target, environment "
      "= excluded.environment, instance = excluded.instance, session_key = excluded.session_key, "
      "command = excluded.command, started = excluded.started, ended = excluded.ended",
      process.id, process.task, process.target, process.environment, process.instance,
      process.session_key, first_bytes(process.command, kMaxStoredCommandBytes),
      stored(process.started), now, process.ended);
  if (!added) return added;
  const std::int64_t number = (*database)->last_id();
  home_->prune_if_due(number - 1, number);
  return {};
}

Result<std::optional<StoredProcess>> ProcessStore::find(std::string_view id) {
  return home_->first(read_process,
                      "SELECT " TALARIA_PROCESS_COLUMNS " FROM processes WHERE id = ?", id);
}

Result<void> ProcessStore::end(std::string_view id) {
  const auto database = home_->get();
  if (!database) return fail(database.error());
  return end_in(**database, id);
}

Result<void> ProcessStore::remove(std::string_view id) {
  const auto database = home_->get();
  if (!database) return fail(database.error());
  return (*database)->run("DELETE FROM processes WHERE id = ?", id);
}

Result<void> ProcessStore::end_in(Database& database, std::string_view id) {
  return database.run("UPDATE processes SET ended = ? WHERE id = ? AND ended IS NULL", now_stored(),
                      id);
}

Result<std::vector<StoredProcess>> ProcessStore::running_at(std::string_view environment) {
  return home_->all(read_process,
                    "SELECT " TALARIA_PROCESS_COLUMNS
                    " FROM processes WHERE environment = ? AND ended IS NULL ORDER BY number",
                    environment);
}

Result<std::vector<StoredProcess>> ProcessStore::one_per_environment() {
  return home_->all(
      read_process,
      "SELECT " TALARIA_PROCESS_COLUMNS
      " FROM processes WHERE number IN (SELECT max(number) FROM processes WHERE ended IS "
      "NULL OR ended > ? GROUP BY environment) ORDER BY number",
      now_stored() - std::chrono::milliseconds(kLatelyEnded).count());
}

Result<std::vector<std::string>> ProcessStore::ids_that_begin(std::string_view beginning) {
  return home_->all([](const Query& row) { return row.text(0); },
                    "SELECT id FROM processes WHERE substr(id, 1, length(?1)) = ?1 OR "
                    "substr(id, 1, length('proc_' || ?1)) = 'proc_' || ?1 ORDER BY number DESC",
                    beginning);
}

Result<std::vector<StoredProcess>> ProcessStore::newest(std::size_t limit) {
  return home_->all(
      read_process,
      "SELECT " TALARIA_PROCESS_COLUMNS " FROM processes ORDER BY number DESC LIMIT ?", limit);
}

Result<std::optional<std::uint64_t>> ProcessStore::mark(std::string_view process,
                                                        std::string_view name) {
  return home_->first([](const Query& row) { return row.count(0); },
                      "SELECT cursor FROM marks WHERE process = ? AND name = ?", process, name);
}

Result<void> ProcessStore::set_mark(std::string_view process, std::string_view name,
                                    std::uint64_t cursor) {
  return home_->run(
      "INSERT INTO marks (process, name, cursor, stored) VALUES (?, ?, ?, ?) ON CONFLICT (process, "
      "name) DO UPDATE SET cursor = excluded.cursor, stored = excluded.stored",
      process, name, cursor, now_stored());
}

}  // namespace talaria::host
