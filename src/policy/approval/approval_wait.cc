#include "policy/approval/approval_wait.h"

#include <utility>

namespace talaria::policy {

void ApprovalWait::answer(std::string_view word) {
  const std::scoped_lock lock(mutex_);
  if (word_ || abandoned_ || ended_) return;
  word_ = std::string(word);
  wake_();
}

void ApprovalWait::abandon() {
  const std::scoped_lock lock(mutex_);
  if (word_ || abandoned_ || ended_) return;
  abandoned_ = true;
  wake_();
}

std::optional<std::string> ApprovalWait::word() const {
  const std::scoped_lock lock(mutex_);
  return word_;
}

bool ApprovalWait::abandoned() const {
  const std::scoped_lock lock(mutex_);
  return abandoned_;
}

bool ApprovalWait::wanted() const {
  const std::scoped_lock lock(mutex_);
  return !word_ && !abandoned_ && !ended_;
}

void ApprovalWait::on_unwanted(std::function<void()> action) {
  {
    const std::scoped_lock lock(mutex_);
    if (!ended_) {
      on_unwanted_ = std::move(action);
      return;
    }
  }
  if (action) action();
}

void ApprovalWait::end() {
  std::function<void()> action;
  {
    const std::scoped_lock lock(mutex_);
    if (std::exchange(ended_, true)) return;
    wake_ = nullptr;
    action = std::exchange(on_unwanted_, nullptr);
  }
  if (action) action();
}

ApprovalReply make_reply(std::shared_ptr<ApprovalWait> wait) {
  return ApprovalReply(std::make_shared<ApprovalReply::State>(std::move(wait)));
}

}  // namespace talaria::policy

namespace talaria {

void ApprovalReply::operator()(std::string_view word) const { state_->wait().answer(word); }
bool ApprovalReply::wanted() const { return state_->wait().wanted(); }
void ApprovalReply::on_unwanted(std::function<void()> action) const {
  state_->wait().on_unwanted(std::move(action));
}

}  // namespace talaria
