#include "front/lines/line_approvals.h"

#include <utility>

#include "base/limits.h"
#include "front/approval_json.h"
#include "json/json_text.h"

namespace talaria::front::lines {

LineApprovals::LineApprovals(AsioRuntime& runtime, std::function<bool(std::string)> push)
    : approvals_(runtime), push_(std::move(push)), runtime_(&runtime) {}

bool LineApprovals::hears(const ApprovalRequest& request) const {
  if (!subscribed_.contains("") && !subscribed_.contains(request.session_key)) return false;
  return !may_ || may_(request.session_key);
}

// A client that is too slow finds it with approvals.list.
void LineApprovals::tell(const ApprovalRequest& request) {
  json::object event{{"type", "approval_requested"}};
  for (auto& [name, value] : describe(request)) event[name] = value;
  event["timeout"] = request.timeout.count();
  push_(to_line(json::object{{"event", std::move(event)}}) + "\n");
}

// Of questions that calls of this program wait for.
void LineApprovals::tell_end(const ApprovalRequest& request, std::string_view choice) {
  if (!hears(request)) return;
  const bool expired = choice == "timeout";
  json::object event{{"type", expired ? "approval_expired" : "approval_answered"},
                     {"id", request.id}};
  if (!expired) {
    event["choice"] = choice;
    if (const auto stored = approvals_.find(request.id)) {
      if (!stored->answer.words.empty()) event["words"] = stored->answer.words;
      if (!stored->answerer.empty()) event["by"] = stored->answerer;
    }
  }
  push_(to_line(json::object{{"event", std::move(event)}}) + "\n");
}

void LineApprovals::start_watching(bool also_requests) {
  if (watch_) return;
  Watcher watcher{.answered = [this](const ApprovalRequest& request, std::string_view choice) {
    tell_end(request, choice);
  }};
  if (also_requests) {
    watcher.asked = [this](const ApprovalRequest& request) {
      if (hears(request)) tell(request);
    };
  }
  watch_.emplace(*runtime_, std::move(watcher));
}

Result<json::object> LineApprovals::unsubscribe(const std::string& session_key) {
  const auto found = subscribed_.find(session_key);
  if (found == subscribed_.end()) {
    return fail(ErrorKind::not_found, "no subscription exists for '" + session_key + "'");
  }
  if (found->second != kWatchOnly) approvals_.leave(found->second);
  subscribed_.erase(found);
  return json::object();
}

Result<json::object> LineApprovals::subscribe(const std::string& session_key) {
  if (subscribed_.contains(session_key)) return json::object();
  if (const auto room = check_room(); !room) return fail(room.error());
  const auto notify = [this](const ApprovalRequest& request) { tell(request); };
  subscribed_.emplace(session_key, approvals_.listen(session_key, notify));
  start_watching(false);
  return json::object();
}

Result<json::object> LineApprovals::watch(const std::string& session_key, May may) {
  may_ = std::move(may);
  if (subscribed_.contains(session_key)) return json::object();
  if (const auto room = check_room(); !room) return fail(room.error());
  subscribed_.emplace(session_key, kWatchOnly);
  start_watching(true);
  return json::object();
}

Result<void> LineApprovals::check_room() const {
  if (subscribed_.size() < kMaxSubscriptions) return {};
  return fail(ErrorKind::limit,
              "there are " + std::to_string(kMaxSubscriptions) + " subscriptions already");
}

void LineApprovals::end() {
  watch_.reset();
  for (const auto& [session_key, id] : std::exchange(subscribed_, {})) {
    if (id != kWatchOnly) approvals_.leave(id);
  }
}

}  // namespace talaria::front::lines
