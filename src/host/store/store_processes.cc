// Where the processes are, of a Store.

#include "base/limits.h"
#include "base/text.h"
#include "host/store/store.h"
#include "host/store/stored_time.h"

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

Result<void> Store::add_process(const StoredProcess& process) {
  if (const auto there = ready(); !there) return there;
  const std::int64_t now = now_stored();
  const auto added = database_.run(
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
  const std::int64_t number = database_.last_id();
  prune_if_due(number - 1, number);
  return {};
}

Result<std::optional<StoredProcess>> Store::find_process(std::string_view id) {
  if (const auto there = ready(); !there) return fail(there.error());
  Query query(database_, "SELECT " TALARIA_PROCESS_COLUMNS " FROM processes WHERE id = ?", id);
  const auto row = query.next();
  if (!row) return fail(row.error());
  return *row ? std::optional(read_process(query)) : std::nullopt;
}

Result<void> Store::end_process(std::string_view id) {
  if (const auto there = ready(); !there) return there;
  return set_ended(id);
}

Result<void> Store::set_ended(std::string_view id) {
  return database_.run("UPDATE processes SET ended = ? WHERE id = ? AND ended IS NULL",
                       now_stored(), id);
}

Result<std::vector<StoredProcess>> Store::running_at(std::string_view environment) {
  if (const auto there = ready(); !there) return fail(there.error());
  Query query(database_,
              "SELECT " TALARIA_PROCESS_COLUMNS
              " FROM processes WHERE environment = ? AND ended IS NULL ORDER BY number",
              environment);
  return read_processes(query);
}

Result<std::vector<StoredProcess>> Store::one_per_environment() {
  if (const auto there = ready(); !there) return fail(there.error());
  Query query(database_,
              "SELECT " TALARIA_PROCESS_COLUMNS
              " FROM processes WHERE number IN (SELECT max(number) FROM processes WHERE ended IS "
              "NULL OR ended > ? GROUP BY environment) ORDER BY number",
              now_stored() - std::chrono::milliseconds(kLatelyEnded).count());
  return read_processes(query);
}

Result<std::vector<StoredProcess>> Store::newest_processes(std::size_t limit) {
  if (const auto there = ready(); !there) return fail(there.error());
  Query query(database_,
              "SELECT " TALARIA_PROCESS_COLUMNS " FROM processes ORDER BY number DESC LIMIT ?",
              limit);
  return read_processes(query);
}

Result<std::vector<StoredProcess>> Store::read_processes(Query& query) {
  std::vector<StoredProcess> processes;
  for (;;) {
    const auto row = query.next();
    if (!row) return fail(row.error());
    if (!*row) return processes;
    processes.push_back(read_process(query));
  }
}

}  // namespace talaria::host
