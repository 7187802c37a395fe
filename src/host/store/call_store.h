// CallStore: calls that outlive the requests they were made by, and their answers.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "host/store/home_database.h"
#include "host/store/stored_call.h"

namespace talaria::host {

class CallStore {
 public:
  explicit CallStore(std::shared_ptr<HomeDatabase> home) : home_(std::move(home)) {}

  // `answer`: a JSON object as text.
  Result<void> add(std::string_view id, std::string_view owner, std::string_view tool);
  Result<void> end(std::string_view id, std::string_view answer);
  Result<std::optional<StoredCall>> find(std::string_view id);
  Result<void> want_end(std::string_view id);

 private:
  std::shared_ptr<HomeDatabase> home_;
};

}  // namespace talaria::host
