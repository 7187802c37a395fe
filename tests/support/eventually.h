// eventually(): waits for a sign of life. A condition that another process makes true is asked for
// again and again until it holds; only a failing test waits to the end.
#pragma once

#include <chrono>
#include <thread>

namespace talaria::test {

inline constexpr std::chrono::seconds kPatience{20};  // a loaded machine may be slow

template <class Condition>
bool eventually(Condition condition, std::chrono::milliseconds patience = kPatience) {
  const auto give_up = std::chrono::steady_clock::now() + patience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= give_up) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

// Whether something that tells how long it took is once as quick as that: on a busy machine it may
// have been held up the other times.
template <class Timed>
bool once_within(std::chrono::milliseconds bound, Timed timed) {
  for (int tries = 0; tries < 8; ++tries) {
    if (timed() < bound) return true;
  }
  return false;
}

}  // namespace talaria::test
