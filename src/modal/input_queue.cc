#include "modal/input_queue.h"

#include <algorithm>
#include <utility>

namespace talaria::modal {

bool InputQueue::add(std::string_view bytes) {
  std::unique_lock lock(mutex_);
  while (!bytes.empty()) {
    changed_.wait(lock, [this] { return closed_ || bytes_.size() < most_; });
    if (closed_) return false;
    const std::size_t fits = std::min(bytes.size(), most_ - bytes_.size());
    bytes_.append(bytes.substr(0, fits));
    bytes.remove_prefix(fits);
    changed_.notify_all();
  }
  return !closed_;
}

void InputQueue::end() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

std::string InputQueue::take() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return closed_ || ended_ || !bytes_.empty(); });
  changed_.notify_all();
  return std::exchange(bytes_, {});
}

void InputQueue::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

}  // namespace talaria::modal
