// OpenQuestion: shared by the call that waits for its answer and the thread that answers. Only
// the first answer is used.
#pragma once

#include <talaria/approval.h>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace talaria::policy {

class OpenQuestion {
 public:
  // `wake` is called on the thread that answers, never after end().
  explicit OpenQuestion(std::function<void()> wake) : wake_(std::move(wake)) {}

  void answer(ApprovalAnswer answer);
  void abandon();  // nobody is left who could answer
  std::optional<ApprovalAnswer> answered() const;
  bool abandoned() const;

  bool wanted() const;
  void on_unwanted(std::function<void()> action);  // may be called several times
  void end();                                      // nobody waits any more

 private:
  mutable std::mutex mutex_;
  std::function<void()> wake_;
  std::vector<std::function<void()>> on_unwanted_;
  std::optional<ApprovalAnswer> answer_;
  bool abandoned_ = false;
  bool ended_ = false;
};

ApprovalReply make_reply(std::shared_ptr<OpenQuestion> wait);

}  // namespace talaria::policy

// The state of all copies of a reply. When the last one is destroyed, nobody is left to answer.
class talaria::ApprovalReply::State {
 public:
  explicit State(std::shared_ptr<policy::OpenQuestion> wait) : wait_(std::move(wait)) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { wait_->abandon(); }

  policy::OpenQuestion& wait() const { return *wait_; }

 private:
  std::shared_ptr<policy::OpenQuestion> wait_;
};
