// ApprovalStore: what people are asked about commands, and which rules they have allowed.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "host/store/home_database.h"
#include "host/store/stored_approval.h"

namespace talaria::host {

class ApprovalStore {
 public:
  using Time = std::chrono::system_clock::time_point;

  explicit ApprovalStore(std::shared_ptr<HomeDatabase> home) : home_(std::move(home)) {}

  // Something was stored in this home once. To look creates nothing.
  bool exists() const { return home_->exists(); }

  // Somebody is to be asked about it.
  Result<void> add(const StoredApproval& approval);
  // The open ones, oldest first; `all`: also those that were answered or expired, as long as they
  // are kept.
  Result<std::vector<StoredApproval>> list(bool all);
  Result<std::optional<StoredApproval>> find(std::string_view id);
  // True for one caller only, however many try: it was open, and now is not. `choice` is empty if
  // it expires.
  Result<bool> close(std::string_view id, ApprovalState state, std::string_view choice,
                     std::string_view answerer);
  // How many can still be answered.
  Result<std::size_t> count_open();
  // Those of a session; if that is a sandbox, of all sandboxes of its owner.
  Result<std::size_t> count_open_of(std::string_view session_key);
  // The same question, put earlier and not waited for.
  Result<std::optional<StoredApproval>> find_unwaited(const StoredApproval& question,
                                                      ApprovalState state);
  // Takes the answer to such a question; it counts once.
  Result<std::optional<StoredApproval>> take_answer(const StoredApproval& question);

  // Rules allowed at a target: in this session, or for good.
  Result<std::vector<std::string>> grants(std::string_view session_key, std::string_view target);
  // For a session until then; without a session, and a time, for good.
  Result<void> add_grant(std::string_view session_key, std::string_view target,
                         std::string_view rule, std::optional<Time> until);
  Result<void> forget_grants(std::string_view session_key);

 private:
  std::shared_ptr<HomeDatabase> home_;
};

}  // namespace talaria::host
