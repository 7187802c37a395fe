#include "host/stored_sessions.h"

#include <utility>

namespace talaria::host {

Task<void> StoredSessions::add(std::string session, bool is_new) {
  if (!is_new) co_return;
  (void)co_await database_->patiently(
      [store = SessionStore(database_), environment = environment_,
       session = std::move(session)]() mutable { return store.add(environment, session); });
}

Task<void> StoredSessions::remove(std::string session) {
  (void)co_await database_->patiently(
      [store = SessionStore(database_), environment = environment_,
       session = std::move(session)]() mutable { return store.remove(environment, session); });
}

Task<void> StoredSessions::clear() {
  (void)co_await database_->patiently(
      [store = SessionStore(database_), environment = environment_]() mutable {
        return store.clear(environment);
      });
}

}  // namespace talaria::host
