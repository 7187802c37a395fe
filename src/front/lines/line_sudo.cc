#include "front/lines/line_sudo.h"

#include <utility>

#include "base/limits.h"
#include "front/random_name.h"
#include "json/json_text.h"

namespace talaria::front::lines {

Result<json::object> LineSudo::subscribe(const std::string& session_key) {
  if (subscribed_.contains(session_key)) return json::object();
  if (subscribed_.size() >= kMaxSubscriptions) {
    return fail(ErrorKind::limit,
                "there are " + std::to_string(kMaxSubscriptions) + " subscriptions already");
  }
  subscribed_.emplace(session_key, AsioSudo(*runtime_, session_key,
                                            [this](const SudoRequest& request, SudoReply reply) {
                                              ask(request, std::move(reply));
                                            }));
  return json::object();
}

Result<json::object> LineSudo::unsubscribe(const std::string& session_key) {
  if (subscribed_.erase(session_key) > 0) return json::object();
  return fail(ErrorKind::not_found, "no subscription exists for '" + session_key + "'");
}

// A client that does not read cannot answer.
void LineSudo::ask(const SudoRequest& request, SudoReply reply) {
  const auto now = std::chrono::steady_clock::now();
  std::erase_if(open_, [&](const auto& one) { return one.second.until < now; });
  const std::string id = "sudo_" + random_name();
  const json::object event{{"type", "sudo_requested"},           {"id", id},
                           {"command", request.command},         {"task", request.task},
                           {"session_key", request.session_key}, {"target", request.target},
                           {"timeout", request.timeout.count()}};
  if (!push_(to_line(json::object{{"event", event}}) + "\n")) return reply("");
  open_.emplace(id, Open{std::move(reply), now + request.timeout});
}

Result<json::object> LineSudo::answer(const std::string& id, std::string_view password) {
  const auto found = open_.find(id);
  if (found == open_.end() || found->second.until < std::chrono::steady_clock::now()) {
    return fail(ErrorKind::not_found,
                "no question '" + id + "' is open: it was answered, or its time is over");
  }
  const Open open = std::move(found->second);
  open_.erase(found);
  open.reply(password);
  return json::object();
}

void LineSudo::end() {
  subscribed_.clear();
  for (const auto& [id, open] : std::exchange(open_, {})) open.reply("");
}

}  // namespace talaria::front::lines
