// Every bound of the link, in one place. docs/reference/link.md lists the same numbers; a test
// compares them.
//
// Three of them differ per program and are announced in the two HELLOs (LinkLimits). Until the peer
// has spoken, a sender assumes kLeast..., which every implementation accepts; so a request may
// follow a HELLO at once and can still never be too large for the peer.
#pragma once

#include <cstddef>
#include <cstdint>

namespace talaria::link {

inline constexpr std::size_t kKiB = 1024;
inline constexpr std::size_t kMiB = 1024 * kKiB;

// Frames.
inline constexpr std::size_t kFrameHeaderBytes = 10;     // length, type, flags, exchange
inline constexpr std::size_t kMaxFrameData = 64 * kKiB;  // a fragment, or the bytes of DATA
inline constexpr std::size_t kMaxFramePayload = kMaxFrameData + 8;  // DATA's offset comes on top

// Messages (what REQUEST, NOTE and RESPONSE fragments add up to), exchanges.
inline constexpr std::uint64_t kMaxMessage = 32 * kMiB;
inline constexpr std::uint64_t kMaxReassembly = 64 * kMiB;  // unfinished messages, per connection
inline constexpr std::uint32_t kMaxExchanges = 1024;        // open at once, per opener
inline constexpr std::uint64_t kLeastMessage = 1 * kMiB;
inline constexpr std::uint64_t kLeastReassembly = 1 * kMiB;
inline constexpr std::uint32_t kLeastExchanges = 64;

// What waits to be written, per connection. Data beyond these two is not accepted by send_data();
// messages beyond the third close the connection (its peer does not read).
inline constexpr std::size_t kMaxQueuedDataPerExchange = 256 * kKiB;
inline constexpr std::size_t kMaxQueuedData = 8 * kMiB;
inline constexpr std::size_t kMaxQueuedMessages = 96 * kMiB;
inline constexpr std::size_t kOutputChunk = 128 * kKiB;  // output() stops collecting frames here

// What a controller lets an exchange send ahead of its reader, unless the caller says otherwise.
inline constexpr std::uint64_t kDefaultWindow = 1 * kMiB;

// How much a reader takes before it says so, unless it has waited for more for a while.
inline constexpr std::uint64_t kCreditStep = 128 * kKiB;

// What a controller holds for unfinished requests, so that it can send them again.
inline constexpr std::size_t kMaxHeldRequests = 96 * kMiB;

// What a runner remembers.
inline constexpr std::size_t kMaxLinks = 4096;
inline constexpr std::size_t kMaxLedgerEntries = 8192;

// Text before the link begins, and strings inside messages.
inline constexpr std::size_t kMaxPreamble = 64 * kKiB;
inline constexpr std::size_t kMaxNonce = 64;
inline constexpr std::size_t kLinkIdBytes = 16;
inline constexpr std::size_t kMaxPassword = 1024;        // what sudo takes
inline constexpr std::size_t kMaxId = 256;               // start, process, session, instance ids
inline constexpr std::size_t kMaxPath = 4096;            // file names
inline constexpr std::size_t kMaxEnvEntry = 128 * kKiB;  // NAME=value: what execve takes
inline constexpr std::size_t kMaxText = 16 * kKiB;       // error messages, notices
// A receiver that does not know a field from this number on refuses the message.
inline constexpr std::uint32_t kFirstObligatoryField = 64;
inline constexpr std::size_t kMaxEntries = 64 * kKiB;  // elements of a repeated field

// What one side of a connection accepts, as its HELLO says. A value below kLeast... counts as that.
struct LinkLimits {
  std::uint64_t max_message = kMaxMessage;
  std::uint64_t max_reassembly = kMaxReassembly;  // never below max_message
  std::uint32_t max_exchanges = kMaxExchanges;

  friend bool operator==(const LinkLimits&, const LinkLimits&) = default;
};

// What may be assumed of a peer that has not spoken yet.
inline constexpr LinkLimits kLeastLimits{kLeastMessage, kLeastReassembly, kLeastExchanges};

}  // namespace talaria::link
