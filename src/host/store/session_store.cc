#include "host/store/session_store.h"

#include "host/store/stored_values.h"

namespace talaria::host {

Result<bool> SessionStore::contains(std::string_view environment, std::string_view session) {
  if (!home_->exists()) return false;
  const auto found = home_->first_count(
      "SELECT count(*) FROM sessions WHERE environment = ? AND session = ?", environment, session);
  if (!found) return fail(found.error());
  return *found > 0;
}

Result<void> SessionStore::add(std::string_view environment, std::string_view session) {
  const auto database = home_->get();
  if (!database) return fail(database.error());
  const auto added = (*database)->run(
      "INSERT OR REPLACE INTO sessions (environment, session, began) VALUES (?, ?, ?)", environment,
      session, now_stored());
  if (!added) return added;
  const std::int64_t number = (*database)->last_id();
  home_->prune_if_due(number - 1, number);
  return {};
}

Result<void> SessionStore::remove(std::string_view environment, std::string_view session) {
  if (!home_->exists()) return {};
  return home_->run("DELETE FROM sessions WHERE environment = ? AND session = ?", environment,
                    session);
}

Result<void> SessionStore::clear(std::string_view environment) {
  if (!home_->exists()) return {};
  return home_->run("DELETE FROM sessions WHERE environment = ?", environment);
}

}  // namespace talaria::host
