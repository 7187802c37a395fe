// An approval of the queue as JSON, for `talaria approvals --json` and JSON lines.
#pragma once

#include <talaria/approval.h>

#include <boost/json/object.hpp>

namespace talaria::front {

boost::json::object describe(const QueuedApproval& approval);

// The same for one that was just requested.
boost::json::object describe(const ApprovalRequest& request);

}  // namespace talaria::front
