// LineApprovals: the questions a client of JSON lines wants to hear of. As long as it listens, its
// calls ask through the queue, and each question comes as a line
// {"event":{"type":"approval_requested","id","command",...}}; approvals.answer answers it.
//   approvals.subscribe    {["session_key"]}    absent: of all sessions
//   approvals.unsubscribe  {["session_key"]}    what only it could have answered is denied
#pragma once

#include <talaria/asio_approvals.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "front/lines/line_protocol.h"

namespace talaria::front::lines {

class LineApprovals {
 public:
  // `push` takes a line.
  LineApprovals(AsioRuntime& runtime, std::function<bool(std::string)> push)
      : approvals_(runtime), push_(std::move(push)) {}

  static bool is_method(std::string_view name) {
    return name == "approvals.subscribe" || name == "approvals.unsubscribe";
  }
  Result<json::object> answer(const AskMethod& ask);

  void end();  // nobody listens any more

 private:
  AsioApprovals approvals_;
  std::function<bool(std::string)> push_;
  std::map<std::string, std::uint64_t> subscribed_;  // by session key
};

}  // namespace talaria::front::lines
