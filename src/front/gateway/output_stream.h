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
  std::uint64_t from = 0;  // the first byte that is wanted
  bool bytes = false;      // see EventPieces
  CancelToken gone = {};   // cancelled when its reader has closed its side
};

// Until it has ended, nobody reads any more, or the gateway stops.
Task<void> stream_output(Gateway& gateway, StreamedExec exec, ServedSink sink);

// EventPieces: bytes of output in, events out; a character that is cut in two waits for its rest.
// With `bytes` all is base64 and nothing waits: what is no text must not be held back. No I/O.
class EventPieces {
 public:
  explicit EventPieces(std::uint64_t from, bool bytes = false) : next_(from), bytes_(bytes) {}

  // What can be told now; `at` is the number of the first byte.
  std::string feed(std::uint64_t at, std::string_view bytes);
  std::string finish();  // there is no more

 private:
  std::string event(std::string_view bytes);

  std::uint64_t next_;  // behind what was told
  bool bytes_;
  std::string pending_;  // the first bytes of a character
};

}  // namespace talaria::front::gateway
