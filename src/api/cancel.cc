#include <talaria/cancel.h>

#include <mutex>
#include <utility>

#include "api/cancel_watch.h"

namespace talaria {

struct Cancel::State {
  std::mutex mutex;
  bool cancelled = false;
  std::list<std::function<void()>> actions;
};

Cancel::Cancel() : state_(std::make_shared<State>()) {}

void Cancel::cancel() const {
  const std::lock_guard lock(state_->mutex);
  if (std::exchange(state_->cancelled, true)) return;
  for (const auto& action : state_->actions) action();
}

bool Cancel::cancelled() const {
  const std::lock_guard lock(state_->mutex);
  return state_->cancelled;
}

CancelWatch::CancelWatch(const Cancel& cancel, std::function<void()> action) : cancel_(cancel) {
  auto& state = *cancel_.state_;
  const std::lock_guard lock(state.mutex);
  place_ = state.actions.insert(state.actions.end(), std::move(action));
  if (state.cancelled) (*place_)();
}

CancelWatch::~CancelWatch() {
  auto& state = *cancel_.state_;
  const std::lock_guard lock(state.mutex);
  state.actions.erase(place_);
}

}  // namespace talaria
