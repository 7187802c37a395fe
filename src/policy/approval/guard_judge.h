// The guard as a Judge: what it needs to know of a call is taken from the configuration.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "policy/approval/judge.h"
#include "policy/guard/context.h"
#include "policy/guard/rules/rule_check.h"

namespace talaria::policy {

Judge guard_judge();

// The same, for a program that stays: at its start, beside all else, the rules are held against
// their own examples. If one does not hold, nothing is judged harmless any more.
using RuleCheck = std::function<std::vector<std::string>()>;
Judge checked_guard_judge(RuleCheck check = guard::rule_flaws);

// The rules of the configuration, as the guard takes them.
std::vector<guard::UserRule> guard_rules(const host::ApprovalConfig& settings);

}  // namespace talaria::policy
