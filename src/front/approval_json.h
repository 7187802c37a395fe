// Approvals of the queue as JSON, for `talaria approvals --json`, JSON lines and the gateway.
#pragma once

#include <talaria/approval.h>

#include <optional>
#include <string>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "base/result.h"

namespace talaria::front {

boost::json::object describe(const QueuedApproval& approval);

// The same for one that was just requested.
boost::json::object describe(const ApprovalRequest& request);

boost::json::array shown_offers(const std::vector<GrantOffer>& offers);

// An answer as clients write it; `lasts`: the field "for", such as "1h".
Result<ApprovalAnswer> read_answer(std::string word, std::string covers,
                                   const std::optional<std::string>& lasts);

}  // namespace talaria::front
