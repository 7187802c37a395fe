#include "front/approval_json.h"

#include <boost/json/array.hpp>

#include "front/unix_seconds.h"

namespace talaria::front {

boost::json::object describe(const ApprovalRequest& request) {
  boost::json::array keys(request.pattern_keys.begin(), request.pattern_keys.end());
  return {{"id", request.id},
          {"command", request.command},
          {"description", request.description},
          {"pattern_key", request.pattern_key},
          {"pattern_keys", std::move(keys)},
          {"session_key", request.session_key},
          {"task", request.task},
          {"target", request.target},
          {"cwd", request.cwd},
          {"allow_permanent", request.allow_permanent}};
}

boost::json::object describe(const QueuedApproval& approval) {
  boost::json::object shown = describe(approval.request);
  shown["state"] = approval.state;
  if (!approval.choice.empty()) shown["choice"] = approval.choice;
  shown["waited_for"] = approval.waited_for;
  shown["pid"] = approval.pid;
  shown["created"] = unix_seconds(approval.created);
  shown["expires"] = unix_seconds(approval.expires);
  return shown;
}

}  // namespace talaria::front
