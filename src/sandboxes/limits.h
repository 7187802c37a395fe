// What sandboxes may cost.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace talaria::sandboxes {

// How long one that was terminated is remembered, so that a request that comes again is not taken
// for a new one.
inline constexpr std::chrono::days kSandboxRetention{7};
// What is kept of the output of one exec, from its beginning and from its end.
inline constexpr std::size_t kExecHead = 512u << 10;
inline constexpr std::size_t kExecTail = 512u << 10;
// How many there may be, and how many execs of all of them run at the same time.
inline constexpr std::size_t kMaxSandboxes = 4000;
inline constexpr std::size_t kMaxLiveExecs = 4000;
// A snapshot of a container.
inline constexpr std::uint64_t kMaxSnapshotBytes = 8ull << 30;
inline constexpr std::uint64_t kSnapshotPiece = 4u << 20;  // of it, in memory
// How often, at most, it is looked whether the time of one is up.
inline constexpr std::chrono::seconds kSandboxLook{1};

}  // namespace talaria::sandboxes
