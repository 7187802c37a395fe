// LineApprovals: the approval subscriptions of a JSON-lines client. While it is subscribed, its
// calls request approval through the queue, and each request is a line
// {"event":{"type":"approval_requested","id","command",...}}; approvals.answer answers it. The
// session key "" stands for all. At the end of a subscription, requests that only it could answer
// are denied.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include <boost/json/object.hpp>

#include "api/asio_approvals.h"
#include "base/result.h"

namespace talaria::front::lines {

namespace json = boost::json;

class LineApprovals {
 public:
  // `push` sends a line.
  LineApprovals(AsioRuntime& runtime, std::function<bool(std::string)> push)
      : approvals_(runtime), push_(std::move(push)) {}

  Result<json::object> subscribe(const std::string& session_key);
  Result<json::object> unsubscribe(const std::string& session_key);

  void end();  // ends all subscriptions

 private:
  AsioApprovals approvals_;
  std::function<bool(std::string)> push_;
  std::map<std::string, std::uint64_t> subscribed_;  // by session key
};

}  // namespace talaria::front::lines
