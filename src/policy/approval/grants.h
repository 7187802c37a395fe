// Grants: what was allowed beyond one call (grant_scope.h). Those of a session are valid for a day,
// in every program if the session has a name, else in this one only. Permanent ones are in the
// store. The command_allowlist of config.yaml is valid at every target and never written by
// Talaria.
#pragma once

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "host/store/grant_store.h"
#include "policy/approval/grant_scope.h"

namespace talaria::policy {

// The session of callers that name none.
inline constexpr std::string_view kNamelessSession = "default";

class Grants {
 public:
  explicit Grants(std::shared_ptr<host::HomeDatabase> database)
      : database_(std::move(database)), store_(database_) {}

  // Removes the findings that are allowed there. Returns what a person should know: that a grant of
  // an earlier version would have allowed one. Each such grant is mentioned once.
  std::vector<std::string> remove_allowed(Findings& findings, const GrantPlace& place,
                                          const std::vector<std::string>& allowlist);

  // Whether there is a grant for one of these rules at the target, in whatever circumstances.
  bool has_any(const std::vector<std::string>& rules, const std::string& target);

  // "session" or "always". An error: it is valid in this program only. All outlives the call.
  // `granted`, if it is not null, gets them.
  Task<Result<void>> add(const Findings& findings, const GrantPlace& place,
                         const ApprovalAnswer& answer, std::string grantor,
                         std::vector<host::StoredGrant>* granted = nullptr);
  void forget(const std::string& session_key);

 private:
  std::vector<host::StoredGrant> all_at(const std::string& target);
  void remove_forgotten();

  std::shared_ptr<host::HomeDatabase> database_;
  host::GrantStore store_;
  std::set<std::string> forgotten_;      // sessions whose grants are still in the store
  std::vector<host::StoredGrant> here_;  // of this program alone
};

}  // namespace talaria::policy
