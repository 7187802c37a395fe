// ApprovalStore: what people are asked about commands, and what they answered.
#pragma once

#include <cstddef>
#include <cstdint>
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
  explicit ApprovalStore(std::shared_ptr<HomeDatabase> home) : home_(std::move(home)) {}

  // Something was stored in this home once. To look creates nothing.
  bool exists() const { return home_->exists(); }

  // Somebody is to be asked about it.
  Result<void> add(const StoredApproval& approval);
  // The open ones, oldest first; `all`: also those that were answered or expired, as long as they
  // are kept.
  Result<std::vector<StoredApproval>> list(bool all);
  Result<std::optional<StoredApproval>> find(std::string_view id);
  // True for one caller only, however many try: it was open, and now is not.
  struct Closing {
    ApprovalState state = ApprovalState::expired;
    std::string choice;
    std::string covers;
    std::int64_t lasts = 0;  // seconds; 0: no end
    std::string answerer;
    std::string words = {};
  };
  Result<bool> close(std::string_view id, const Closing& closing);
  // How many can still be answered.
  Result<std::size_t> count_open();
  // Those of a session; if that is a sandbox, of all sandboxes of its owner.
  Result<std::size_t> count_open_of(std::string_view session_key);
  // The same question, put earlier, in this state and not expired: the same command, target,
  // directory and task. Oldest first.
  Result<std::vector<StoredApproval>> find_same(const StoredApproval& question,
                                                ApprovalState state);
  // An open one becomes that of another program, under its old id.
  Result<bool> adopt(const StoredApproval& question);
  // The answer to it, if there is one that nobody has taken; it can be taken once.
  Result<std::optional<StoredApproval>> take_answer(std::string_view id);

 private:
  std::shared_ptr<HomeDatabase> home_;
};

}  // namespace talaria::host
