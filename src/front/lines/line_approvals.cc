#include "front/lines/line_approvals.h"

#include <utility>

#include "base/limits.h"
#include "front/approval_json.h"
#include "json/json_text.h"

namespace talaria::front::lines {

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
  return json::object();
}

void LineApprovals::end() {
  for (const auto& [session_key, id] : std::exchange(subscribed_, {})) approvals_.leave(id);
}

}  // namespace talaria::front::lines
