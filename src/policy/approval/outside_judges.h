// Programs that have a say in whether a command runs: a scanner that may speak against it, and one
// that may decide in place of a person. Both are off unless configured.
#pragma once

#include <talaria/approval.h>

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/task.h"
#include "environment/ask_program.h"
#include "host/config/policy_config.h"

namespace talaria::policy {

// What a scanner has against a command. It can be approved, but not for good.
struct ScannerFinding {
  std::string key;          // "tirith:RULE"
  std::string description;  // for a person
};

// Nothing: it has nothing against it.
Task<std::optional<ScannerFinding>> scan_command(host::ScannerConfig scanner, std::string command);

// What its answer means, without asking it.
std::optional<ScannerFinding> scanner_finding(const Result<environment::ProgramAnswer>& answer,
                                              bool fail_open);

enum class SmartAnswer { approve, deny, escalate };

Task<SmartAnswer> ask_smart_program(host::ApprovalConfig config, ApprovalRequest request);

// `output`: what it printed.
SmartAnswer smart_answer(std::string_view output);

}  // namespace talaria::policy
