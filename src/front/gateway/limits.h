// Limits of one request; http/http_server.h has the limits of connections.
#pragma once

#include <chrono>
#include <cstddef>

namespace talaria::front::gateway {

inline constexpr std::size_t kMaxSandboxText = 4096;    // a name or path, bytes
inline constexpr double kMaxResource = 1e9;             // CPUs, MiB
inline constexpr std::size_t kMaxIdempotencyKey = 256;  // bytes
inline constexpr std::size_t kMaxExecVariables = 256;
inline constexpr std::chrono::milliseconds kLongestSandbox = std::chrono::hours(24);
// `wait`: the maximum, and the default of a start.
inline constexpr std::chrono::milliseconds kLongestWait{30'000};
inline constexpr std::chrono::milliseconds kStartWait{200};
// How often an idle stream sends a comment, so that proxies keep it open.
inline constexpr std::chrono::milliseconds kStreamPause{15'000};
inline constexpr std::chrono::milliseconds kStreamDoubt{500};  // to a client that may be gone
inline constexpr std::size_t kStreamPiece = 64u << 10;         // of one event
inline constexpr std::size_t kStreamAhead = 256u << 10;        // that the client has not read
// How long what is known of the target counts for /readyz.
inline constexpr std::chrono::seconds kReachedFor{5};
// The same of one that did not answer. Each question may leave a shell at an ssh host.
inline constexpr std::chrono::seconds kSilentFor{60};
// Sessions of MCP clients: per user, and how long an unused one is stored.
inline constexpr std::size_t kMaxMcpSessions = 64;
inline constexpr std::chrono::hours kMcpSessionIdle{24};

}  // namespace talaria::front::gateway
