// SessionStore: which sessions have run in an environment whose target may lose them, so that
// programs of another time know that one of them begins anew.
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "host/store/home_database.h"

namespace talaria::host {

class SessionStore {
 public:
  explicit SessionStore(std::shared_ptr<HomeDatabase> home) : home_(std::move(home)) {}

  // `environment`: its key, as in StoredProcess. Nothing is created by looking and removing.
  Result<bool> contains(std::string_view environment, std::string_view session);
  Result<void> add(std::string_view environment, std::string_view session);
  Result<void> remove(std::string_view environment, std::string_view session);
  Result<void> clear(std::string_view environment);

 private:
  std::shared_ptr<HomeDatabase> home_;
};

}  // namespace talaria::host
