#include "host/store/home_database.h"

#include <unistd.h>

#include "base/limits.h"
#include "host/store/schema.h"
#include "host/store/stored_values.h"
#include "os/file.h"

namespace talaria::host {
namespace {

std::string directory_in(const std::string& home) { return home + "/talaria"; }

}  // namespace

std::string home_database_path(const std::string& home) {
  return directory_in(home) + "/talaria.db";
}

Result<Database> open_home_database(const std::string& home, StoreWait wait) {
  const auto made = os::make_private_directory(directory_in(home));
  if (!made) return fail(made.error());
  auto database = Database::open(home_database_path(home));
  if (!database) return fail(database.error());
  if (const auto migrated = migrate(*database); !migrated) return fail(migrated.error());
  if (wait == StoreWait::on_loop) database->be_quick();
  return std::move(*database);
}

bool HomeDatabase::exists() const {
  return database_ || ::access(home_database_path(home_).c_str(), F_OK) == 0;
}

Result<Database*> HomeDatabase::get() {
  if (database_ && database_->is_in_place()) return &*database_;
  if (home_.empty())
    return fail(ErrorKind::unavailable, "no home directory is known; set HOME or TALARIA_HOME");
  auto opened = open_home_database(home_, wait_);
  if (!opened) return fail(opened.error());
  database_ = std::move(*opened);
  return &*database_;
}

void HomeDatabase::prune_if_due(std::int64_t before, std::int64_t after) {
  if (before / kStorePruneEvery == after / kStorePruneEvery) return;
  // What was to be added is there: if this fails, the next one clears up.
  static_cast<void>(prune(std::chrono::system_clock::now()));
}

Result<void> HomeDatabase::prune(std::chrono::system_clock::time_point now) {
  const auto opened = get();
  if (!opened) return fail(opened.error());
  Database& database = **opened;
  auto transaction = Transaction::begin(database);
  if (!transaction) return fail(transaction.error());

  const std::int64_t oldest_event = stored(now - kEventRetention);
  const std::int64_t oldest_end = stored(now - kEndedProcessRetention);
  const std::int64_t oldest_process = stored(now - kRunningProcessRetention);
  Result<void> done = database.run(
      "DELETE FROM events WHERE stored < ? OR id <= (SELECT id FROM events ORDER BY id DESC LIMIT "
      "1 OFFSET ?)",
      oldest_event, kMaxStoredEvents);
  const auto then = [&](std::string_view sql, auto... values) {
    if (done) done = database.run(sql, values...);
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
  then("DELETE FROM calls WHERE began < ?", oldest_end);
  then("DELETE FROM sessions WHERE began < ?", oldest_process);
  if (!done) return done;
  return transaction->commit();
}

}  // namespace talaria::host
