// Silence: what to make of a stream that brings nothing. It may be dead without any error (a hung
// ssh, a stopped runner), or have nothing to say. A runner that has not greeted is given up after a
// short while. One that has is asked first (PING), and has long to answer: it may just be busy.
//
// The owner asks only while something is awaited, and has the clock and the timer.
#pragma once

#include <chrono>

namespace talaria::link {

struct SilenceLimits {
  std::chrono::milliseconds greeting{10'000};   // until the runner's HELLO
  std::chrono::milliseconds ask_after{15'000};  // then PING
  std::chrono::milliseconds answer{30'000};     // to the PING, or anything else
};

class Silence {
 public:
  using Time = std::chrono::steady_clock::time_point;
  enum class Verdict { bear, ask, give_up };

  Silence(const SilenceLimits& limits, Time now) : limits_(limits), since_(now) {}

  void broken(Time now);  // bytes moved
  void greeted();
  // It takes no bytes any more, so it cannot be asked: only what it has sent is still to come.
  void deaf(Time now);

  // After `ask` the owner sends a PING.
  Verdict judge(Time now);
  Time next() const { return since_ + limit(); }  // when to judge again
  std::chrono::milliseconds limit() const;        // of what it is at present

 private:
  enum class State { greeting, open, asked, deaf };

  SilenceLimits limits_;
  State state_ = State::greeting;
  Time since_;
};

}  // namespace talaria::link
