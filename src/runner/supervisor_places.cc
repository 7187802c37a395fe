// Where sessions are, for who asks about files.
#include "runner/supervisor.h"

namespace talaria {

// One that is not in memory need not come there for this.
Result<SessionPlace> Supervisor::place_of(const std::string& session) {
  if (session.empty()) return SessionPlace{};
  const auto found = sessions_.find(session);
  if (found != sessions_.end()) return found->second->place();
  const auto stored = store_.load(session);
  if (!stored) return fail(stored.error());
  return stored->state ? place_in(*stored->state) : SessionPlace{};
}

}  // namespace talaria
