#include "host/store/event_store.h"

#include <algorithm>

#include "base/limits.h"
#include "base/text.h"
#include "host/store/process_store.h"
#include "host/store/stored_values.h"

namespace talaria::host {
namespace {

// The database has the numbers, also in its indexes.
static_assert(static_cast<int>(EventType::completion) == 0);
static_assert(static_cast<int>(EventType::target_lost) == 5);
static_assert(static_cast<int>(ProcessEnd::exited) == 0);
static_assert(static_cast<int>(ProcessEnd::lost) == 2);

#define TALARIA_EVENT_COLUMNS                                                                  \
  "id, type, process, task, session_key, target, command, time, announced, ended, exit_code, " \
  "source, output, pattern, suppressed, message"

constexpr std::string_view kInsert =
    "INSERT INTO events (instance, number, type, process, task, session_key, target, command, "
    "time, announced, ended, exit_code, source, output, pattern, suppressed, message, told, "
    "stored) VALUES (?, nullif(?, 0), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
    "ON CONFLICT DO NOTHING";

constexpr std::string_view kNumber =
    "INSERT INTO instances (instance, last, stored) VALUES (?, ?, ?) ON CONFLICT (instance) DO "
    "UPDATE SET last = max(last, excluded.last), stored = excluded.stored";

ProcessEvent read_event(const Query& row) {
  return {.id = row.count(0),
          .type = static_cast<EventType>(row.number(1)),
          .process = row.text(2),
          .task = row.text(3),
          .session_key = row.text(4),
          .target = row.text(5),
          .command = row.text(6),
          .time = time_of(row.number(7)),
          .announced = row.number(8) != 0,
          .ended = static_cast<ProcessEnd>(row.number(9)),
          .exit_code = static_cast<int>(row.number(10)),
          .source = row.text(11),
          .output = row.text(12),
          .pattern = row.text(13),
          .suppressed = row.count(14),
          .message = row.text(15)};
}

Result<bool> insert_event(Database& database, const RunnerKey& key, const ProcessEvent& event) {
  const std::int64_t now = now_stored();
  const bool ends = event.type == EventType::completion;
  const bool is_reported = !ends || event.announced;
  const auto added = database.run(
      kInsert, key.instance, key.number, static_cast<int>(event.type), event.process, event.task,
      event.session_key, event.target, first_bytes(event.command, kMaxStoredCommandBytes),
      stored(event.time), event.announced, static_cast<int>(event.ended), event.exit_code,
      event.source, last_bytes(event.output, kMaxStoredOutputBytes), event.pattern,
      event.suppressed, event.message, is_reported, now);
  if (!added) return fail(added.error());
  const bool is_new = database.changes() > 0;
  if (key.number > 0) {
    if (const auto noted = database.run(kNumber, key.instance, key.number, now); !noted) {
      return fail(noted.error());
    }
  }
  if (ends) {
    if (const auto ended = ProcessStore::end_in(database, event.process); !ended)
      return fail(ended.error());
  }
  return is_new;
}

}  // namespace

Result<bool> EventStore::add(const RunnerKey& key, const ProcessEvent& event) {
  const auto database = home_->get();
  if (!database) return fail(database.error());
  auto transaction = Transaction::begin(**database);
  if (!transaction) return fail(transaction.error());
  const auto is_new = insert_event(**database, key, event);
  if (!is_new) return is_new;
  const std::int64_t id = (*database)->last_id();
  if (const auto done = transaction->commit(); !done) return fail(done.error());
  if (!*is_new) return false;
  home_->prune_if_due(id - 1, id);
  return true;
}

Result<std::size_t> EventStore::add_all(const std::string& instance,
                                        std::span<const environment::NumberedEvent> events) {
  const auto database = home_->get();
  if (!database) return fail(database.error());
  auto transaction = Transaction::begin(**database);
  if (!transaction) return fail(transaction.error());
  std::size_t added = 0;
  std::int64_t last = 0;
  for (const environment::NumberedEvent& numbered : events) {
    const auto is_new = insert_event(**database, {instance, numbered.number}, numbered.event);
    if (!is_new) return fail(is_new.error());
    if (!*is_new) continue;
    ++added;
    last = (*database)->last_id();
  }
  if (const auto done = transaction->commit(); !done) return fail(done.error());
  home_->prune_if_due(last - static_cast<std::int64_t>(added), last);
  return added;
}

Result<std::uint64_t> EventStore::last_number(const std::string& instance) {
  return home_->first_count("SELECT last FROM instances WHERE instance = ?", instance);
}

Result<std::uint64_t> EventStore::last() {
  return home_->first_count("SELECT coalesce(max(id), 0) FROM events");
}

Result<std::optional<ProcessEvent>> EventStore::end_of(std::string_view process) {
  return home_->first(read_event,
                      "SELECT " TALARIA_EVENT_COLUMNS
                      " FROM events WHERE type = 0 AND process = ? AND process <> ''",
                      process);
}

Result<std::vector<ProcessEvent>> EventStore::newest(std::uint64_t after, std::size_t limit) {
  auto events = home_->all(read_event,
                           "SELECT " TALARIA_EVENT_COLUMNS
                           " FROM events WHERE id > ? ORDER BY id DESC LIMIT ?",
                           after, limit);
  if (events) std::ranges::reverse(*events);
  return events;
}

Result<std::vector<ProcessEvent>> EventStore::after(std::uint64_t id, std::size_t limit) {
  return home_->all(read_event,
                    "SELECT " TALARIA_EVENT_COLUMNS " FROM events WHERE id > ? ORDER BY id LIMIT ?",
                    id, limit);
}

Result<std::vector<ProcessEvent>> EventStore::pending(std::string_view consumer,
                                                      std::size_t limit) {
  return home_->all(
      read_event,
      "SELECT " TALARIA_EVENT_COLUMNS
      " FROM events WHERE told = 1 AND id > coalesce((SELECT cursor FROM consumers WHERE "
      "name = ?), 0) AND NOT (type = 0 AND process IN (SELECT process FROM consumed)) "
      "ORDER BY id LIMIT ?",
      consumer, limit);
}

Result<std::uint64_t> EventStore::cursor(std::string_view consumer) {
  return home_->first_count("SELECT cursor FROM consumers WHERE name = ?", consumer);
}

Result<void> EventStore::move_cursor(std::string_view consumer, std::uint64_t id) {
  return home_->run(
      "INSERT INTO consumers (name, cursor, moved) VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE "
      "SET cursor = excluded.cursor, moved = excluded.moved WHERE excluded.cursor > cursor",
      consumer, id, now_stored());
}

Result<void> EventStore::mark_consumed(std::string_view process) {
  const auto database = home_->get();
  if (!database) return fail(database.error());
  auto transaction = Transaction::begin(**database);
  if (!transaction) return fail(transaction.error());
  const auto marked = (*database)->run(
      "INSERT INTO consumed (process, stored) VALUES (?, ?) ON CONFLICT DO NOTHING", process,
      now_stored());
  if (!marked) return marked;
  if (const auto ended = ProcessStore::end_in(**database, process); !ended) return ended;
  return transaction->commit();
}

Result<bool> EventStore::is_consumed(std::string_view process) {
  const auto database = home_->get();
  if (!database) return fail(database.error());
  return Query(**database, "SELECT 1 FROM consumed WHERE process = ?", process).next();
}

}  // namespace talaria::host
