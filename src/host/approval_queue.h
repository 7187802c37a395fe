// ApprovalQueue: questions about commands, in the store, where every program with this home can see
// and answer them. A program that waits for an answer has a named pipe (os/wake_pipe.h) beside the
// store: it wakes the program at once, and shows others that it still waits.
#pragma once

#include <talaria/approval.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "host/store/approval_store.h"
#include "os/wake_pipe.h"

namespace talaria::host {

// "once", "session", "always" or "deny": all that can be answered.
bool is_answer(std::string_view word);

ApprovalAnswer answer_of(const StoredApproval& question);

// An Error if this program was started by a command: such a program changes nothing about who is
// asked and what is allowed.
Result<void> refuse_commands();

class ApprovalQueue {
 public:
  ApprovalQueue(std::string home, std::shared_ptr<HomeDatabase> database)
      : home_(std::move(home)), store_(std::move(database)) {}

  // "appr_" and twelve hexadecimal digits.
  static std::string new_id();

  // Puts a question. `waiter`: of a caller that waits for its answer. The same question that a
  // program left open when it ended is taken over, under its old id.
  struct Put {
    std::string id;
    std::optional<os::WakePipe> waiter;
  };
  Result<Put> put(StoredApproval question, bool waits);

  // Those that can be answered, oldest first; `all`: also those that were. What has expired is
  // closed on the way.
  struct Listed {
    StoredApproval question;
    bool waited_for = false;
    bool asker_gone = false;
  };
  Result<std::vector<Listed>> list(bool all = false);

  // The answer to one, given by `answerer`. Of several only the first counts; the others get an
  // Error that says so, and so does a command of ours that would approve. not_found: there is no
  // such question.
  Result<StoredApproval> answer(const std::string& id, const ApprovalAnswer& answer,
                                std::string_view answerer);

  // What was answered, if something was.
  std::optional<ApprovalAnswer> answer_to(const std::string& id);
  // Nobody waits any more. The answer that counts: one that came in the last moment, else `answer`.
  Result<ApprovalAnswer> close(const std::string& id, const ApprovalAnswer& answer);

  // The answer to the same question that was put earlier, if no call has acted on it: by this
  // session without waiting, or by a program that has ended.
  Result<std::optional<StoredApproval>> take_answer(const StoredApproval& question);

 private:
  std::string bell_path(const std::string& id) const;
  bool is_waited_for(const StoredApproval& question) const;
  bool asker_is_gone(const StoredApproval& question) const;
  // Whether `later` may act on what was answered to `earlier`, which is the same question.
  bool may_take_over(const StoredApproval& earlier, const StoredApproval& later) const;
  Result<void> check_room(const StoredApproval& question);
  std::optional<StoredApproval> find_open(const StoredApproval& question);

  std::string home_;
  ApprovalStore store_;
};

}  // namespace talaria::host
