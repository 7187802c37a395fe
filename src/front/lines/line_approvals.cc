#include "front/lines/line_approvals.h"

#include <utility>

#include "base/limits.h"
#include "front/approval_json.h"
#include "json/json_text.h"

namespace talaria::front::lines {

LineApprovals::LineApprovals(AsioRuntime& runtime, std::function<bool(std::string)> push)
    : approvals_(runtime), push_(std::move(push)), runtime_(&runtime) {}

// Of questions that calls of this program wait for.
void LineApprovals::tell_end(const ApprovalRequest& request, std::string_view choice) {
  if (!subscribed_.contains("") && !subscribed_.contains(request.session_key)) return;
  json::object event{{"type", choice == "timeout" ? "approval_expired" : "approval_answered"},
                     {"id", request.id}};
  if (choice != "timeout") {
    event["choice"] = choice;
    if (const auto stored = approvals_.find(request.id)) {
      if (!stored->answer.words.empty()) event["words"] = stored->answer.words;
      if (!stored->answerer.empty()) event["by"] = stored->answerer;
    }
  }
  push_(to_line(json::object{{"event", std::move(event)}}) + "\n");
}

Result<json::object> LineApprovals::unsubscribe(const std::string& session_key) {
  const auto found = subscribed_.find(session_key);
  if (found == subscribed_.end()) {
    return fail(ErrorKind::not_found, "no subscription exists for '" + session_key + "'");
  }
  approvals_.leave(found->second);
  subscribed_.erase(found);
  return json::object();
}

Result<json::object> LineApprovals::subscribe(const std::string& session_key) {
  if (subscribed_.contains(session_key)) return json::object();
  if (subscribed_.size() >= kMaxSubscriptions) {
    return fail(ErrorKind::limit,
                "there are " + std::to_string(kMaxSubscriptions) + " subscriptions already");
  }
  const auto notify = [this](const ApprovalRequest& request) {
    json::object event{{"type", "approval_requested"}};
    for (auto& [name, value] : describe(request)) event[name] = value;
    // A client that is too slow finds it with approvals.list.
    push_(to_line(json::object{{"event", std::move(event)}}) + "\n");
  };
  subscribed_.emplace(session_key, approvals_.listen(session_key, notify));
  if (!watch_) {
    watch_.emplace(*runtime_, Watcher{.answered = [this](const ApprovalRequest& request,
                                                         std::string_view choice) {
      tell_end(request, choice);
    }});
  }
  return json::object();
}

void LineApprovals::end() {
  watch_.reset();
  for (const auto& [session_key, id] : std::exchange(subscribed_, {})) approvals_.leave(id);
}

}  // namespace talaria::front::lines
