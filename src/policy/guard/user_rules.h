// Rules of the configuration.
#pragma once

#include "policy/guard/context.h"
#include "policy/guard/rules/arguments.h"

namespace talaria::guard {

// The strictest of the rules that speak of this command at this target: deny, then ask, then allow.
// Null: none does.
const UserRule* find_user_rule(const GuardContext& context, const Arguments& arguments);

// As `talaria guard explain` names it.
std::string user_rule_key(const UserRule& rule);

}  // namespace talaria::guard
