// ApprovalQueue: questions about commands, in the store, where every program with this home can see
// and answer them. A program that waits for an answer has a named pipe (os/bell.h) beside the
// store: it wakes the program at once, and shows others that it still waits.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "host/store/approval_store.h"
#include "os/bell.h"

namespace talaria::host {

// "once", "session", "always" or "deny": all that can be answered.
bool is_answer(std::string_view word);

class ApprovalQueue {
 public:
  ApprovalQueue(std::string home, std::shared_ptr<HomeDatabase> database)
      : home_(std::move(home)), store_(std::move(database)) {}

  // "appr_" and twelve hexadecimal digits.
  static std::string new_id();

  // Puts a question. `bell`: of a caller that waits for its answer.
  struct Put {
    std::optional<os::Bell> bell;
  };
  Result<Put> put(StoredApproval question, bool waits);

  // Those that can be answered, oldest first; `all`: also those that were. What has expired, or has
  // nobody left who waits, is closed on the way.
  Result<std::vector<StoredApproval>> list(bool all = false);

  // The answer to one, given by `answerer`. Of several only the first counts; the others get an
  // Error that says so, and so does a command of ours that would approve. not_found: there is no
  // such question.
  Result<StoredApproval> answer(const std::string& id, std::string_view word,
                                std::string_view answerer);

  // What was answered, if something was.
  std::optional<std::string> answer_to(const std::string& id);
  // Nobody waits any more. The answer that counts: one that came in the last moment, else `word`.
  std::string close(const std::string& id, std::string_view word);

  // The same question, put earlier, not waited for and not answered yet.
  std::optional<StoredApproval> find_open(const StoredApproval& question);
  // Its answer.
  std::optional<StoredApproval> take_answer(const StoredApproval& question);

 private:
  std::string bell_path(const std::string& id) const;
  bool is_stale(const StoredApproval& question) const;

  std::string home_;
  ApprovalStore store_;
};

}  // namespace talaria::host
