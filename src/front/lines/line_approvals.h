// LineApprovals: the approval subscriptions of a JSON-lines client. While it is subscribed, its
// calls request approval through the queue, and each request is a line
// {"event":{"type":"approval_requested","id","command",...}}; approvals.answer answers it.
//   approvals.subscribe    {["session_key"]}    absent: all sessions
//   approvals.unsubscribe  {["session_key"]}    requests that only it could answer are denied
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "api/asio_approvals.h"
#include "base/result.h"
#include "front/lines/line_protocol.h"

namespace talaria::front::lines {

class LineApprovals {
 public:
  // `push` sends a line.
  LineApprovals(AsioRuntime& runtime, std::function<bool(std::string)> push)
      : approvals_(runtime), push_(std::move(push)) {}

  static bool is_method(std::string_view name) {
    return name == "approvals.subscribe" || name == "approvals.unsubscribe";
  }
  Result<json::object> answer(const AskMethod& ask);

  void end();  // ends all subscriptions

 private:
  AsioApprovals approvals_;
  std::function<bool(std::string)> push_;
  std::map<std::string, std::uint64_t> subscribed_;  // by session key
};

}  // namespace talaria::front::lines
