// What the gateway takes of one request; http/http_server.h has the limits of connections.
#pragma once

#include <chrono>
#include <cstddef>

namespace talaria::front::gateway {

inline constexpr std::size_t kMaxSandboxText = 4096;    // a name or path, bytes
inline constexpr double kMostOfAResource = 1e9;         // CPUs, MiB
inline constexpr std::size_t kMaxIdempotencyKey = 256;  // bytes
inline constexpr std::size_t kMaxExecVariables = 256;
inline constexpr std::chrono::milliseconds kLongestSandbox = std::chrono::hours(24);
// `wait`: the longest, and what a start waits that does not say.
inline constexpr std::chrono::milliseconds kLongestWait{30'000};
inline constexpr std::chrono::milliseconds kStartWait{200};
// A stream that has nothing to say says so, for those between us.
inline constexpr std::chrono::milliseconds kStreamPause{15'000};
inline constexpr std::chrono::milliseconds kStreamDoubt{500};  // to one who may be gone
inline constexpr std::size_t kStreamPiece = 64u << 10;         // of one event
inline constexpr std::size_t kStreamAhead = 256u << 10;        // that a reader has not taken
// Sessions of MCP clients: of one user, and how long one stays that nobody uses.
inline constexpr std::size_t kMaxMcpSessions = 64;
inline constexpr std::chrono::hours kMcpSessionIdle{24};

}  // namespace talaria::front::gateway
