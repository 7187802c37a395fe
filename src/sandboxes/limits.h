// Limits of sandboxes and execs.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace talaria::sandboxes {

// How long a terminated sandbox is remembered, so that a repeated request does not create another.
inline constexpr std::chrono::days kSandboxRetention{7};
// How much output of one exec is stored, from its beginning and from its end.
inline constexpr std::size_t kExecHead = 512u << 10;
inline constexpr std::size_t kExecTail = 512u << 10;
// Sandboxes, and execs of all of them that run at the same time.
inline constexpr std::size_t kMaxSandboxes = 4000;
inline constexpr std::size_t kMaxLiveExecs = 4000;
// A snapshot of a container, and the part of it that is in memory at a time.
inline constexpr std::uint64_t kMaxSnapshotBytes = 8ull << 30;
inline constexpr std::uint64_t kSnapshotPiece = 4u << 20;
// The shortest pause between two checks whether the lifetime of a sandbox is over.
inline constexpr std::chrono::seconds kLifetimeCheck{1};

}  // namespace talaria::sandboxes
