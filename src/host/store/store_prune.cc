// What a Store forgets, and when.

#include "base/limits.h"
#include "host/store/store.h"
#include "host/store/stored_time.h"

namespace talaria::host {

// Whoever adds the row that makes the next kStorePruneEvery full clears up for all: so programs
// that live for a moment do it, too, and none does it often.
void Store::prune_if_due(std::int64_t before, std::int64_t after) {
  if (before / kStorePruneEvery == after / kStorePruneEvery) return;
  // What was to be added is there: if this fails, the next one clears up.
  static_cast<void>(prune(std::chrono::system_clock::now()));
}

Result<void> Store::prune(Time now) {
  if (const auto there = ready(); !there) return there;
  auto transaction = Transaction::begin(database_);
  if (!transaction) return fail(transaction.error());

  const std::int64_t oldest_event = stored(now - kEventRetention);
  const std::int64_t oldest_end = stored(now - kEndedProcessRetention);
  const std::int64_t oldest_process = stored(now - kRunningProcessRetention);
  Result<void> done = database_.run(
      "DELETE FROM events WHERE stored < ? OR id <= (SELECT id FROM events ORDER BY id DESC LIMIT "
      "1 OFFSET ?)",
      oldest_event, kMaxStoredEvents);
  const auto then = [&](std::string_view sql, auto... values) {
    if (done) done = database_.run(sql, values...);
  };
  then(
      "DELETE FROM processes WHERE ended < ? OR (ended IS NULL AND stored < ?) OR number <= "
      "(SELECT number FROM processes WHERE ended IS NOT NULL ORDER BY number DESC LIMIT 1 OFFSET "
      "?) AND ended IS NOT NULL",
      oldest_end, oldest_process, kMaxStoredProcesses);
  // A mark counts as long as there is something it is about.
  then(
      "DELETE FROM consumed WHERE stored < ? AND NOT EXISTS (SELECT 1 FROM events WHERE type = 0 "
      "AND events.process = consumed.process AND events.process <> '')",
      oldest_end);
  then(
      "DELETE FROM marks WHERE stored < ? AND NOT EXISTS (SELECT 1 FROM processes WHERE "
      "processes.id = marks.process)",
      oldest_end);
  // Of a consumer that has had nothing for so long, and of an instance, every event is gone.
  then("DELETE FROM consumers WHERE moved < ?", oldest_event);
  then("DELETE FROM instances WHERE stored < ?", oldest_process);
  then("DELETE FROM approvals WHERE state <> 0 AND expires < ?", oldest_end);
  then("DELETE FROM grants WHERE until < ?", stored(now));
  if (!done) return done;
  return transaction->commit();
}

}  // namespace talaria::host
