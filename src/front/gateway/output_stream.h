// The output of an exec as server-sent events.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "front/gateway/gateway.h"

namespace talaria::front::gateway {

struct StreamedExec {
  std::string owner;
  std::string sandbox;
  std::string id;
  std::uint64_t from = 0;  // the first byte to send
  bool bytes = false;      // see EventPieces
  CancelToken gone = {};   // cancelled when the client has closed its side
};

// Runs until the exec has ended, the client no longer reads, or the gateway stops.
Task<void> stream_output(Gateway& gateway, StreamedExec exec, ServedSink sink);

// EventPieces: turns output into events. An incomplete character waits for its rest. With `bytes`
// everything is base64 and nothing waits. No I/O.
class EventPieces {
 public:
  explicit EventPieces(std::uint64_t from, bool bytes = false) : next_(from), bytes_(bytes) {}

  // The events that are complete; `at` is the number of the first byte.
  std::string feed(std::uint64_t at, std::string_view bytes);
  std::string finish();  // at the end of the output

 private:
  std::string event(std::string_view bytes);

  std::uint64_t next_;  // after the last byte in an event
  bool bytes_;
  std::string pending_;  // the first bytes of a character
};

}  // namespace talaria::front::gateway
