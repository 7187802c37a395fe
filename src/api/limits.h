// Bounds of what embedding programs have.
#pragma once

#include <cstddef>

namespace talaria {

// Callbacks that take their time, each on a thread: so many at once.
inline constexpr std::size_t kMaxCallbackThreads = 64;
// How much output waits for its callback before its source is held up.
inline constexpr std::size_t kMaxRelayedBytes = 64u << 10;

}  // namespace talaria
