// Where sessions are, for who asks about files; and their end.
#include <algorithm>

#include "runner/supervisor.h"

namespace talaria::runner {

// One that is not in memory need not come there for this.
Result<SessionPlace> Supervisor::place_of(const std::string& session) {
  if (session.empty()) return SessionPlace{};
  const auto found = sessions_.find(session);
  if (found != sessions_.end()) return found->second->place();
  const auto stored = store_.load(session);
  if (!stored) return fail(stored.error());
  return stored->state ? place_in(*stored->state) : SessionPlace{};
}

Result<void> Supervisor::end_session(const std::string& session) {
  if (session.empty()) return fail(ErrorKind::bad_request, "session: which one?");
  const auto lives_in_it = [&](const auto& one) {
    return one.second->spec().session == session && !one.second->tree_empty();
  };
  const auto found = sessions_.find(session);
  const bool in_use = found != sessions_.end() && !found->second->end();
  if (in_use || std::ranges::any_of(runs_.all(), lives_in_it)) {
    return fail(ErrorKind::unavailable, "something of the session still runs");
  }
  if (found != sessions_.end()) sessions_.erase(found);
  runs_.forget_ended_in(session);
  return store_.remove(session);
}

}  // namespace talaria::runner
