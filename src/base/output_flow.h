// OutputFlow: how somebody who takes output says that this is enough for now. Its source then sends
// no more than is on its way. All of it happens on one loop.
#pragma once

#include <functional>
#include <utility>

namespace talaria {

class OutputFlow {
 public:
  bool held() const { return held_; }
  void hold() { held_ = true; }
  void release() {
    held_ = false;
    if (const auto action = std::exchange(on_release_, nullptr)) action();
  }

  // For the source. Called once, by release().
  void on_release(std::function<void()> action) { on_release_ = std::move(action); }

 private:
  bool held_ = false;
  std::function<void()> on_release_;
};

}  // namespace talaria
