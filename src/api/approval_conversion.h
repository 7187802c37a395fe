// Stored questions in the form of the public interface.
#pragma once

#include <talaria/approval.h>

#include <string>
#include <vector>

#include "base/result.h"
#include "host/approval_queue.h"
#include "host/store/stored_grant.h"

namespace talaria {

QueuedApproval to_queued(const host::ApprovalQueue::Listed& listed);
Result<std::vector<QueuedApproval>> queued_approvals(host::ApprovalQueue& queue, bool all);

// What was allowed beyond one call.
ApprovalGrant to_grant(const host::StoredGrant& grant);

// "process 123": who answered, for programs that answer later.
std::string answerer_here();

}  // namespace talaria
