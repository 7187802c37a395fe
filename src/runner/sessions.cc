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
      warm_limit_(warm_shell_limit()),
      counted_(os::process_limit().value_or(UINT64_MAX) <= kFewProcesses),
      refill_pause_(loop),
      next_count_(loop) {}

Session& Sessions::get(const std::string& id) {
  auto& entry = sessions_[id];
  if (!entry) {
    SessionEvents events{.on_idle = [this, id] { asio::post(loop_, [this, id] { retire(id); }); }};
    entry = std::make_unique<Session>(loop_.get_executor(), host_, store_, id, std::move(events));
  }
  return *entry;
}

void Sessions::retire(const std::string& id) {
  const auto found = sessions_.find(id);
  if (found != sessions_.end() && found->second->retire()) sessions_.erase(found);
}

std::vector<Session*> Sessions::by_age() const {
  std::vector<Session*> sessions;
  for (const auto& [id, session] : sessions_) sessions.push_back(session.get());
  std::ranges::sort(sessions, {}, &Session::last_active);
  return sessions;
}

Result<void> Sessions::make_room_for(const std::string& id) {
  if (sessions_.contains(id) || sessions_.size() < kMaxSessions) return {};
  for (Session* session : by_age()) {
    if (!session->retire()) continue;
    sessions_.erase(session->id());
    return {};
  }
  return fail(ErrorKind::limit,
              std::to_string(kMaxSessions) + " sessions are busy; wait until one is idle");
}

// A session that is not in memory is only read.
Result<SessionPlace> Sessions::place_of(const std::string& id) {
  if (id.empty()) return SessionPlace{};
  const auto found = sessions_.find(id);
  if (found != sessions_.end()) return found->second->place();
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
  const bool in_use = found != sessions_.end() && !found->second->end();
  if (in_use || std::ranges::any_of(runs_.all(), lives_in_it)) {
    return fail(ErrorKind::unavailable, "a process of the session is still running; end it first");
  }
  if (found != sessions_.end()) sessions_.erase(found);
  runs_.forget_ended_in(id);
  return store_.remove(id);
}

std::size_t Sessions::warm_shells() const {
  std::size_t count = 0;
  for (const auto& [id, session] : sessions_) count += session->warm_shells();
  return count;
}

void Sessions::drop_warm_shells() {
  for (const auto& [id, session] : sessions_) session->drop_warm_shells();
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

// Takes one only from a session that has been quiet for a while: of many that take turns, the one
// that was used longest ago is the next to be used.
bool Sessions::make_room_for_warm_shell() {
  if (is_short()) return false;
  if (warm_shells() < warm_limit_) return true;
  const auto quiet = std::chrono::steady_clock::now() - kWarmQuiet;
  for (Session* session : by_age()) {
    if (session->last_active() > quiet) return false;
    if (session->warm_shells() == 0) continue;
    session->drop_warm_shells();
    return true;
  }
  return false;
}

void Sessions::refill_soon(const std::string& id, std::chrono::milliseconds pause) {
  if (std::ranges::find(to_refill_, id) != to_refill_.end()) return;
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

// One shell per turn of the loop, so that a request never waits for more than one.
void Sessions::refill_next() {
  refilling_ = false;
  if (to_refill_.empty()) return;
  const std::string id = std::move(to_refill_.front());
  to_refill_.pop_front();
  const auto found = sessions_.find(id);
  if (found != sessions_.end() && make_room_for_warm_shell() && found->second->refill_one()) {
    to_refill_.push_back(id);
  }
  refill_now();
}

void Sessions::shut_down() {
  to_refill_.clear();
  refill_pause_.cancel();
  next_count_.cancel();
  for (const auto& [id, session] : sessions_) session->abandon();
}

}  // namespace talaria::runner
