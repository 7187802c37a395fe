// A question of the queue in JSON, as `talaria approvals --json` and JSON lines show it.
#pragma once

#include <talaria/approval.h>

#include <boost/json/object.hpp>

namespace talaria::front {

boost::json::object describe(const QueuedApproval& approval);

// The same of one that was just put.
boost::json::object describe(const ApprovalRequest& request);

}  // namespace talaria::front
