// What is put to somebody about a command: what speaks against it, where a grant would count, and
// the question itself.
#pragma once

#include <talaria/approval.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/task.h"
#include "policy/approval/approvers.h"
#include "policy/approval/decision.h"
#include "policy/approval/grant_scope.h"
#include "policy/guard/guard.h"
#include "shell/definitions.h"

namespace talaria::policy {

inline constexpr std::string_view kUnclear = "a command that could not be judged";

template <class T>
std::vector<std::string> values(const std::vector<T>& list, std::string T::* member) {
  std::vector<std::string> all;
  for (const T& one : list) all.push_back(one.*member);
  return all;
}

// What the rules, and a scanner, have against it: the scanner's finding first. A scanner's finding,
// and one about a command that nobody can read, covers this very command and no other. Both outlive
// the call.
Task<Findings> gather(const CommandQuestion& question, const guard::Judgement& judgement);

GrantPlace place_of(const CommandQuestion& question, const shell::JudgedStart& start,
                    const std::string& session_key);

ApprovalRequest request_for(const CommandQuestion& question, const shell::JudgedStart& start,
                            const Findings& findings, const GrantPlace& place,
                            Approvers::Kind approver);

}  // namespace talaria::policy
