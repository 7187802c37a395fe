// LineApprovals: the approval subscriptions of a JSON-lines client. While it is subscribed, its
// calls request approval through the queue, and each request is a line
// {"event":{"type":"approval_requested","id","command",...}}; approvals.answer answers it. Its end
// is one with the type approval_answered or approval_expired. The session key "" stands for all. At
// the end of a subscription, requests that only it could answer are denied.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "api/asio_approvals.h"
#include "api/asio_watch.h"
#include "base/result.h"

namespace talaria::front::lines {

namespace json = boost::json;

class LineApprovals {
 public:
  // `push` sends a line.
  LineApprovals(AsioRuntime& runtime, std::function<bool(std::string)> push);

  Result<json::object> subscribe(const std::string& session_key);
  Result<json::object> unsubscribe(const std::string& session_key);
  // For one who may answer the questions of some session keys: they are put in any case, and this
  // client hears of them.
  using May = std::function<bool(const std::string& session_key)>;
  Result<json::object> watch(const std::string& session_key, May may);

  void end();  // ends all subscriptions

 private:
  bool hears(const ApprovalRequest& request) const;
  void tell(const ApprovalRequest& request);
  void tell_end(const ApprovalRequest& request, std::string_view choice);
  void start_watching(bool also_requests);
  Result<void> check_room() const;

  static constexpr std::uint64_t kWatchOnly = 0;  // in place of the id of a listener

  AsioApprovals approvals_;
  std::function<bool(std::string)> push_;
  std::map<std::string, std::uint64_t> subscribed_;  // by session key
  May may_ = nullptr;                                // null: all
  AsioRuntime* runtime_;
  std::optional<AsioWatch> watch_;  // while there are any
};

}  // namespace talaria::front::lines
