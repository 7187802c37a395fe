// Gate: lets so many in at once; the others wait, and go in in the order they came. For one event
// loop.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <utility>

#include "base/event.h"
#include "base/task.h"

namespace talaria {

class Gate {
 public:
  explicit Gate(std::size_t most) : free_(most) {}

  // The right to be inside, for as long as it lives.
  class Pass {
   public:
    explicit Pass(std::shared_ptr<Gate> gate) : gate_(std::move(gate)) {}
    Pass(Pass&&) noexcept = default;
    Pass& operator=(Pass&& other) noexcept {
      std::swap(gate_, other.gate_);  // it leaves with the other one
      return *this;
    }
    ~Pass() {
      if (gate_) gate_->leave();
    }

   private:
    std::shared_ptr<Gate> gate_;
  };

  static Task<Pass> enter(std::shared_ptr<Gate> gate) {
    if (gate->free_ > 0) {
      --gate->free_;
      co_return Pass(std::move(gate));
    }
    const auto turn = std::make_shared<Turn>(gate);
    gate->waiting_.push_back(turn);
    while (!turn->has_place) co_await turn->come.wait();
    turn->has_place = false;
    co_return Pass(std::move(gate));
  }

 private:
  // Of one who waits. Its loop may drop it, with the place that was to be its own.
  struct Turn {
    explicit Turn(std::shared_ptr<Gate> its_gate) : gate(std::move(its_gate)) {}
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() {
      if (has_place) gate->leave();
    }

    AsyncEvent come;
    std::shared_ptr<Gate> gate;
    bool has_place = false;
  };

  // Hands the place on.
  void leave() {
    while (!waiting_.empty()) {
      const auto next = waiting_.front().lock();
      waiting_.pop_front();
      if (!next) continue;
      next->has_place = true;
      next->come.notify_all();
      return;
    }
    ++free_;
  }

  std::size_t free_;
  std::deque<std::weak_ptr<Turn>> waiting_;
};

}  // namespace talaria
