#include "policy/approval/open_question.h"

#include <array>
#include <cstddef>
#include <utility>

namespace talaria::policy {

void OpenQuestion::answer(ApprovalAnswer answer) {
  const std::scoped_lock lock(mutex_);
  if (answer_ || abandoned_ || ended_) return;
  answer_ = std::move(answer);
  wake_();
}

void OpenQuestion::abandon() {
  const std::scoped_lock lock(mutex_);
  if (answer_ || abandoned_ || ended_) return;
  abandoned_ = true;
  wake_();
}

std::optional<ApprovalAnswer> OpenQuestion::answered() const {
  const std::scoped_lock lock(mutex_);
  return answer_;
}

bool OpenQuestion::abandoned() const {
  const std::scoped_lock lock(mutex_);
  return abandoned_;
}

bool OpenQuestion::wanted() const {
  const std::scoped_lock lock(mutex_);
  return !answer_ && !abandoned_ && !ended_;
}

void OpenQuestion::on_unwanted(std::function<void()> action) {
  {
    const std::scoped_lock lock(mutex_);
    if (!ended_) {
      on_unwanted_.push_back(std::move(action));
      return;
    }
  }
  action();
}

void OpenQuestion::end() {
  std::vector<std::function<void()>> actions;
  {
    const std::scoped_lock lock(mutex_);
    if (std::exchange(ended_, true)) return;
    wake_ = nullptr;
    actions = std::exchange(on_unwanted_, {});
  }
  for (const auto& action : actions) action();
}

ApprovalReply make_reply(std::shared_ptr<OpenQuestion> wait) {
  return ApprovalReply(std::make_shared<ApprovalReply::State>(std::move(wait)));
}

}  // namespace talaria::policy

namespace talaria {

ApprovalAnswer answer_of(Answer answer, AnswerWidth width, std::chrono::seconds lasts) {
  constexpr std::array<std::string_view, 4> kWords{"deny", "once", "session", "always"};
  constexpr std::array<std::string_view, 5> kWidths{"", "command", "directory", "task", "target"};
  return {.word = std::string(kWords.at(static_cast<std::size_t>(answer))),
          .covers = std::string(kWidths.at(static_cast<std::size_t>(width))),
          .lasts = lasts};
}

void ApprovalReply::operator()(std::string_view word) const {
  state_->wait().answer({.word = std::string(word)});
}
void ApprovalReply::operator()(const ApprovalAnswer& answer) const {
  state_->wait().answer(answer);
}
bool ApprovalReply::wanted() const { return state_->wait().wanted(); }
void ApprovalReply::on_unwanted(std::function<void()> action) const {
  state_->wait().on_unwanted(std::move(action));
}

}  // namespace talaria
