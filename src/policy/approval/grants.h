// Grants: what was allowed beyond one command, by rule and target. Those of a session are valid for
// a day, in every program if the session has a name. Permanent ones are in the store. The
// command_allowlist of config.yaml is valid at every target and never written by Talaria.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "host/store/approval_store.h"

namespace talaria::policy {

// The session of callers that name none.
inline constexpr std::string_view kNamelessSession = "default";

class Grants {
 public:
  explicit Grants(std::shared_ptr<host::HomeDatabase> database) : store_(std::move(database)) {}

  // Those of `rules` that are not allowed.
  std::vector<std::string> missing(const std::string& session_key, const std::string& target,
                                   const std::vector<std::string>& rules,
                                   const std::vector<std::string>& allowlist);

  // An error: it is valid in this program only.
  Result<void> for_session(const std::string& session_key, const std::string& target,
                           const std::vector<std::string>& rules);
  Result<void> for_good(const std::string& target, const std::vector<std::string>& rules);
  void forget(const std::string& session_key);

 private:
  using Place = std::pair<std::string, std::string>;  // session and target; no session: all

  host::ApprovalStore store_;
  std::map<Place, std::set<std::string>> here_;
};

}  // namespace talaria::policy
