// CommandPolicy: the gate for every command. It decides before anything is created at a target, and
// logs the decision and how the command ended.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "base/task.h"
#include "host/environments.h"
#include "host/interaction.h"
#include "host/journal.h"
#include "host/settings.h"
#include "policy/approval/approvals.h"
#include "policy/audit/audit_log.h"
#include "policy/known_definitions.h"

namespace talaria::policy {

// How a command that was let through ended.
struct CommandEnding {
  std::optional<int> exit_code;  // absent: it could not be run, or still runs
  std::string error;             // why it could not
  std::string process;           // the id of one in the background
  std::string cwd;               // where it was
  std::uint64_t bytes = 0;       // printed
  std::chrono::microseconds duration{0};
};

class CommandPolicy {
 public:
  // All of it outlives the policy. `front`: what to call this program in the log.
  CommandPolicy(host::Settings& settings, host::Environments& environments, host::Journal& journal,
                const host::Interaction& people, Judge judge, std::string front);

  Approvals& approvals() { return approvals_; }
  KnownDefinitions& known() { return known_; }

  // `question` outlives the call.
  Task<Decision> decide(const CommandQuestion& question, CancelToken cancel);

  // Records how it ended. Returns notices for the caller, if any.
  std::vector<std::string> ended(const CommandQuestion& question, const Decision& decision,
                                 const CommandEnding& ending);

 private:
  json::object line_for(std::string_view kind, const CommandQuestion& question,
                        const Decision& decision) const;
  std::vector<std::string> write(const json::object& line);

  Approvals approvals_;
  KnownDefinitions known_;
  AuditLog audit_;
  std::string front_;
  std::string user_;
};

}  // namespace talaria::policy
