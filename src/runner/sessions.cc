#include "runner/sessions.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <boost/asio/post.hpp>

#include "os/cgroup.h"
#include "os/own_process.h"
#include "runner/limits.h"

namespace talaria::runner {
namespace {

// Shells that wait take at most a quarter of what there is for all.
std::size_t warm_shell_limit() {
  const auto processes = static_cast<std::size_t>(os::process_limit().value_or(UINT32_MAX));
  return std::min({kMaxWarmShells, os::descriptor_limit() / 4 / kDescriptorsPerShell,
                   processes / 4 / kProcessesPerShell});
}

}  // namespace

Sessions::Sessions(asio::io_context& loop, const ShellHost& host, std::string directory,
                   RunTable& runs)
    : loop_(loop),
      host_(host),
      store_(std::move(directory)),
      runs_(runs),
      spare_(loop.get_executor(), host),
      unused_(loop),
      warm_limit_(warm_shell_limit()),
      counted_(os::process_limit().value_or(UINT64_MAX) <= kFewProcesses),
      refill_pause_(loop),
      next_count_(loop) {}

Session& Sessions::get(const std::string& id) {
  if (const auto found = sessions_.find(id); found != sessions_.end()) {
    return *found->second.session;
  }
  SessionEvents events{.on_busy = [this](Session& session) { place_last(session, busy_); },
                       .on_idle = [this](Session& session) { session_is_idle(session); }};
  auto made =
      std::make_unique<Session>(loop_.get_executor(), host_, store_, id, spare_, std::move(events));
  Session& session = *made;
  sessions_.emplace(id, Entry{.session = std::move(made),
                              .order = &idle_,
                              .place = idle_.insert(idle_.end(), &session)});
  session_is_idle(session);
  return session;
}

void Sessions::place_last(Session& session, Order& order) {
  Entry& entry = sessions_.at(session.id());
  order.splice(order.end(), *entry.order, entry.place);
  entry.order = &order;
}

void Sessions::session_is_idle(Session& session) {
  place_last(session, idle_);
  if (idle_.size() > kMaxIdleSessions) retire_oldest();
  if (idle_.size() == 1) retire_unused();
}

bool Sessions::retire_oldest() {
  Session& oldest = *idle_.front();
  if (!oldest.retire()) {
    place_last(oldest, idle_);
    return false;
  }
  idle_.pop_front();
  sessions_.erase(std::string(oldest.id()));
  return true;
}

void Sessions::retire_unused() {
  const auto used_before = std::chrono::steady_clock::now() - kSessionIdle;
  bool retired = true;
  while (retired && !idle_.empty() && idle_.front()->last_active() <= used_before) {
    retired = retire_oldest();
  }
  if (idle_.empty()) return;
  unused_.expires_after(retired ? idle_.front()->last_active() - used_before : kSessionIdle);
  unused_.async_wait([this](boost::system::error_code error) {
    if (!error) retire_unused();
  });
}

Result<void> Sessions::make_room_for(const std::string& id) {
  if (sessions_.contains(id) || sessions_.size() < kMaxSessions) return {};
  if (!idle_.empty() && retire_oldest()) return {};
  return fail(ErrorKind::limit,
              std::to_string(kMaxSessions) + " sessions are busy; wait until one is idle");
}

// A session that is not in memory is only read.
Result<SessionPlace> Sessions::place_of(const std::string& id) {
  if (id.empty()) return SessionPlace{};
  const auto found = sessions_.find(id);
  if (found != sessions_.end()) return found->second.session->place();
  const auto stored = store_.load(id);
  if (!stored) return fail(stored.error());
  return stored->state ? place_in(*stored->state) : SessionPlace{};
}

Result<void> Sessions::end(const std::string& id) {
  if (id.empty()) return fail(ErrorKind::bad_request, "session: a session id is required");
  const auto lives_in_it = [&](const auto& one) {
    return one.second->spec().session == id && !one.second->tree().empty();
  };
  const auto found = sessions_.find(id);
  const bool in_use = found != sessions_.end() && !found->second.session->end();
  if (in_use || std::ranges::any_of(runs_.all(), lives_in_it)) {
    return fail(ErrorKind::unavailable, "a process of the session is still running; end it first");
  }
  if (found != sessions_.end()) {
    found->second.order->erase(found->second.place);
    sessions_.erase(found);
  }
  runs_.forget_ended_in(id);
  return store_.remove(id);
}

void Sessions::drop_warm_shells() {
  spare_.drop();
  for (const auto& [id, entry] : sessions_) entry.session->drop_warm_shells();
}

// Idle shells and reapers are the first to go when the cgroup has room for few more processes. They
// come back when there is room again.
void Sessions::give_way() {
  if (!counted_ || counting_) return;
  if (is_short()) {
    drop_warm_shells();
    host_.nursery->drop_free();
  }
  counting_ = true;
  next_count_.expires_after(kCountPause);
  next_count_.async_wait([this](boost::system::error_code error) {
    if (error) return;
    counting_ = false;
    if (runs_.running() > 0) give_way();
  });
}

bool Sessions::is_short() const {
  return counted_ && os::processes_left().value_or(UINT64_MAX) < kSpareProcesses;
}

// Of many sessions, one that is used again and again has shells of its own; the others take spare
// ones. If there are too many, it takes them from one that has been quiet for longer than its own
// commands are apart: of sessions that take turns, none takes them from another.
bool Sessions::may_have_warm_shell(const Session& session) {
  if (are_many() && !session.pace()) return false;
  if (spare_.all() < warm_limit_) return true;
  const auto pace = session.pace().value_or(kWarmQuiet);
  const auto quiet = std::chrono::steady_clock::now() -
                     std::min<std::chrono::steady_clock::duration>(pace, kWarmQuiet);
  for (Session* other : idle_) {
    if (other->last_active() > quiet) return false;
    if (other->warm_shells() == 0) continue;
    other->drop_warm_shells();
    return true;
  }
  return false;
}

// True if it should have yet another.
bool Sessions::refill_session(const std::string& id) {
  const auto found = sessions_.find(id);
  return found != sessions_.end() && may_have_warm_shell(*found->second.session) &&
         found->second.session->refill_one();
}

void Sessions::refill_soon(const std::string& id, std::chrono::milliseconds pause) {
  if (!in_refill_.insert(id).second) return;
  to_refill_.push_back(id);
  if (to_refill_.size() > 1) return;
  if (pause.count() == 0) return refill_now();
  refill_pause_.expires_after(pause);
  refill_pause_.async_wait([this](boost::system::error_code error) {
    if (!error) refill_now();
  });
}

void Sessions::refill_now() {
  if (to_refill_.empty() || std::exchange(refilling_, true)) return;
  refill_pause_.cancel();
  asio::post(loop_, [this] { refill_next(); });
}

// One shell per turn of the loop, so that a request never waits for more than one. Every session
// can use a spare one, so these come first. A few sessions need none.
void Sessions::refill_next() {
  refilling_ = false;
  if (to_refill_.empty()) return;
  const bool room = !is_short();
  if (room && are_many() && spare_.refill_one()) return refill_now();
  const std::string id = std::move(to_refill_.front());
  to_refill_.pop_front();
  if (room && refill_session(id)) {
    to_refill_.push_back(id);
  } else {
    in_refill_.erase(id);
  }
  refill_now();
}

void Sessions::shut_down() {
  to_refill_.clear();
  unused_.cancel();
  refill_pause_.cancel();
  next_count_.cancel();
  spare_.abandon();
  for (const auto& [id, entry] : sessions_) entry.session->abandon();
}

}  // namespace talaria::runner
