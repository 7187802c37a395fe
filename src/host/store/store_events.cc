// The events of a Store.

#include <algorithm>

#include "base/limits.h"
#include "base/text.h"
#include "host/store/store.h"
#include "host/store/stored_time.h"

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

}  // namespace

Result<bool> Store::insert(const RunnerKey& key, const ProcessEvent& event) {
  const std::int64_t now = now_stored();
  const bool ends = event.type == EventType::completion;
  const bool told = !ends || event.announced;
  const auto added = database_.run(
      kInsert, key.instance, key.number, static_cast<int>(event.type), event.process, event.task,
      event.session_key, event.target, first_bytes(event.command, kMaxStoredCommandBytes),
      stored(event.time), event.announced, static_cast<int>(event.ended), event.exit_code,
      event.source, last_bytes(event.output, kMaxStoredOutputBytes), event.pattern,
      event.suppressed, event.message, told, now);
  if (!added) return fail(added.error());
  const bool is_new = database_.changes() > 0;
  if (key.number > 0) {
    if (const auto noted = database_.run(kNumber, key.instance, key.number, now); !noted) {
      return fail(noted.error());
    }
  }
  if (ends) {
    if (const auto ended = set_ended(event.process); !ended) return fail(ended.error());
  }
  return is_new;
}

Result<bool> Store::add(const RunnerKey& key, const ProcessEvent& event) {
  if (const auto there = ready(); !there) return fail(there.error());
  auto transaction = Transaction::begin(database_);
  if (!transaction) return fail(transaction.error());
  const auto is_new = insert(key, event);
  if (!is_new) return is_new;
  const std::int64_t id = database_.last_id();
  if (const auto done = transaction->commit(); !done) return fail(done.error());
  if (!*is_new) return false;
  prune_if_due(id - 1, id);
  return true;
}

Result<std::size_t> Store::add_all(const std::string& instance,
                                   std::span<const environment::NumberedEvent> events) {
  if (const auto there = ready(); !there) return fail(there.error());
  auto transaction = Transaction::begin(database_);
  if (!transaction) return fail(transaction.error());
  std::size_t added = 0;
  std::int64_t last = 0;
  for (const environment::NumberedEvent& numbered : events) {
    const auto is_new = insert({instance, numbered.number}, numbered.event);
    if (!is_new) return fail(is_new.error());
    if (!*is_new) continue;
    ++added;
    last = database_.last_id();
  }
  if (const auto done = transaction->commit(); !done) return fail(done.error());
  prune_if_due(last - static_cast<std::int64_t>(added), last);
  return added;
}

Result<std::uint64_t> Store::last_number(const std::string& instance) {
  if (const auto there = ready(); !there) return fail(there.error());
  Query query(database_, "SELECT last FROM instances WHERE instance = ?", instance);
  const auto row = query.next();
  if (!row) return fail(row.error());
  return *row ? query.count(0) : 0;
}

Result<std::vector<ProcessEvent>> Store::read_events(Query& query) {
  std::vector<ProcessEvent> events;
  for (;;) {
    const auto row = query.next();
    if (!row) return fail(row.error());
    if (!*row) return events;
    events.push_back(read_event(query));
  }
}

Result<std::uint64_t> Store::last_event() {
  if (const auto there = ready(); !there) return fail(there.error());
  Query query(database_, "SELECT coalesce(max(id), 0) FROM events");
  const auto row = query.next();
  if (!row) return fail(row.error());
  return query.count(0);
}

Result<std::vector<ProcessEvent>> Store::newest_events(std::uint64_t after, std::size_t limit) {
  if (const auto there = ready(); !there) return fail(there.error());
  Query query(database_,
              "SELECT " TALARIA_EVENT_COLUMNS " FROM events WHERE id > ? ORDER BY id DESC LIMIT ?",
              after, limit);
  auto events = read_events(query);
  if (events) std::ranges::reverse(*events);
  return events;
}

Result<std::vector<ProcessEvent>> Store::events_after(std::uint64_t id, std::size_t limit) {
  if (const auto there = ready(); !there) return fail(there.error());
  Query query(database_,
              "SELECT " TALARIA_EVENT_COLUMNS " FROM events WHERE id > ? ORDER BY id LIMIT ?", id,
              limit);
  return read_events(query);
}

Result<std::vector<ProcessEvent>> Store::pending(std::string_view consumer, std::size_t limit) {
  if (const auto there = ready(); !there) return fail(there.error());
  Query query(database_,
              "SELECT " TALARIA_EVENT_COLUMNS
              " FROM events WHERE told = 1 AND id > coalesce((SELECT cursor FROM consumers WHERE "
              "name = ?), 0) AND NOT (type = 0 AND process IN (SELECT process FROM consumed)) "
              "ORDER BY id LIMIT ?",
              consumer, limit);
  return read_events(query);
}

}  // namespace talaria::host
