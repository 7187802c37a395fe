// What a person is shown of a command beside its text: everything else that an answer is bound to,
// without secrets, and cut where it is long.
#pragma once

#include <vector>

#include "policy/approval/decision.h"

namespace talaria::policy {

std::vector<ApprovalDetail> details_of(const CommandQuestion& question,
                                       const shell::JudgedStart& start);

}  // namespace talaria::policy
