// `talaria approvals`, `approve`, `deny` and `audit`: what people are asked about commands, their
// answers, and the log of it all.
#pragma once

#include "front/cli/command_line.h"
#include "front/stdio.h"

namespace talaria::front::cli {

int approvals_front(const ApprovalsOptions& options, const Stdio& stdio);
int answer_front(const AnswerOptions& options, const Stdio& stdio);
int audit_front(const AuditOptions& options, const Stdio& stdio);

}  // namespace talaria::front::cli
