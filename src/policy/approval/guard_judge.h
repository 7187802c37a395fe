// The guard as a Judge: what it needs to know of a call is taken from the configuration.
#pragma once

#include <vector>

#include "policy/approval/judge.h"
#include "policy/guard/context.h"

namespace talaria::policy {

Judge guard_judge();

// The rules of the configuration, as the guard takes them.
std::vector<guard::UserRule> guard_rules(const host::ApprovalConfig& settings);

}  // namespace talaria::policy
