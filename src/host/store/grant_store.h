// GrantStore: what people have allowed beyond one call, until it ends or is revoked.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "host/store/home_database.h"
#include "host/store/stored_grant.h"

namespace talaria::host {

class GrantStore {
 public:
  explicit GrantStore(std::shared_ptr<HomeDatabase> home) : home_(std::move(home)) {}

  // "grant_" and twelve hexadecimal digits.
  static std::string new_id();

  // None of these creates a database, except add(). Those that have ended are left out.
  Result<std::vector<StoredGrant>> list();
  Result<std::vector<StoredGrant>> at_target(std::string_view target);
  Result<std::optional<StoredGrant>> find(std::string_view id);

  // Replaces one that covers the same.
  Result<void> add(const StoredGrant& grant);
  // From now on it counts.
  Result<void> confirm(const StoredGrant& grant);
  Result<void> note_shown(std::string_view id);
  Result<void> remove(std::string_view id);
  Result<void> remove_of_session(std::string_view session_key);

 private:
  std::shared_ptr<HomeDatabase> home_;
};

}  // namespace talaria::host
