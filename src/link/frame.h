// Frames: what a connection's byte stream is made of. All integers are little-endian.
//
//   u32 length of the rest | u8 type | u8 flags | u32 exchange (0: the link itself) | payload
//
// FrameReader cuts a stream back into frames, however it arrives in pieces. It holds at most one
// incomplete frame beside what it was last fed, and a length above the limit is an error before any
// byte of that frame is stored.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "link/limits.h"

namespace talaria::link {

enum class FrameType : std::uint8_t {
  hello = 1,     // ClientHello or RunnerHello: the first frame each way, once
  request = 2,   // opens an exchange; a message, in fragments
  note = 3,      // from the answering side, before its response; a message
  response = 4,  // ends the exchange; a message
  data = 5,      // u64 offset, then the bytes that stand there
  credit =
      6,  // u64 taken, u64 limit: the peer may send bytes below limit (see docs/reference/link.md)
  end = 7,       // u64 final offset of the sender's data
  cancel = 8,    // from the requester: the answer is no longer wanted
  ping = 9,      // u64
  pong = 10,     // u64, the ping's
  go_away = 11,  // GoAway; the sender's last frame
};

inline constexpr std::uint8_t kFlagLast = 0x01;  // last fragment of a message
inline constexpr std::uint8_t kFlagErrors =
    0x02;  // of DATA: what a process printed to standard error
inline constexpr std::uint8_t kFlagOptional =
    0x80;  // a receiver that does not know the type skips it

// Chosen by the side that opens the exchange: odd by the controller, even by the runner, never 0.
using ExchangeId = std::uint32_t;

struct Frame {
  FrameType type{};  // as received: may be a value without a name
  std::uint8_t flags = 0;
  ExchangeId exchange = 0;
  std::string_view payload;

  bool last() const { return (flags & kFlagLast) != 0; }
};

// Each appends one whole frame to `out`. A payload is at most kMaxFramePayload.
void append_frame(std::string& out, const Frame& frame);
void append_data(std::string& out, ExchangeId exchange, std::uint64_t offset,
                 std::string_view bytes, bool errors = false);
void append_credit(std::string& out, ExchangeId exchange, std::uint64_t taken, std::uint64_t limit);
void append_number(std::string& out, FrameType type, ExchangeId exchange, std::uint64_t number);

// The u64 that stands at `at` in a payload; nothing if the payload is too short.
std::optional<std::uint64_t> number_at(std::string_view payload, std::size_t at = 0);

class FrameReader {
 public:
  // Frames handed out before this call lose their payload.
  void feed(std::string_view bytes);

  // The next frame, nothing until more is fed, or why the stream is not a link (then for good).
  Result<std::optional<Frame>> next();

  std::size_t buffered() const { return buffer_.size() - start_; }

 private:
  std::string buffer_;
  std::size_t start_ = 0;  // first byte not yet handed out
};

}  // namespace talaria::link
