// The events that a connection reports to its owner. An exchange is one request with its answer;
// `id` names it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "link/frame.h"
#include "link/handshake.h"
#include "link/messages.h"

namespace talaria::link {

// The peer asks. The owner answers with note() and send_data() as often as it likes, then once with
// respond().
struct Request {
  ExchangeId id = 0;
  Method method{};  // may be a number without a name: answer bad_request
  std::string body;
  std::uint64_t data_limit = 0;  // the answer's data may reach up to here for now
};

struct Note {
  ExchangeId id = 0;
  std::string body;
};

// The end of an exchange we opened.
struct Response {
  ExchangeId id = 0;
  Result<std::string> body;
};

// Bytes of the exchange's stream towards us. `offset` never goes back; if it jumps ahead, the bytes
// between are gone at the sender.
struct Data {
  ExchangeId id = 0;
  std::uint64_t offset = 0;
  std::string_view bytes;  // valid until the next receive()
  bool errors = false;     // a process printed them to standard error
};

// May be left out by an answering side: its Response ends the stream, too.
struct DataEnd {
  ExchangeId id = 0;
  std::uint64_t offset = 0;  // behind the last byte of the stream
};

// There is credit and room to send data again: more credit came, or the queue was written out.
struct Writable {
  ExchangeId id = 0;
  std::uint64_t next = 0;   // where the requester continues; an answering side knows its own place
  std::uint64_t taken = 0;  // the peer will not ask again for bytes before this
  std::uint64_t limit = 0;  // bytes before this may be sent
};

// The requester gave the exchange up; it is closed and needs no respond(). Nothing is killed by it.
struct Cancelled {
  ExchangeId id = 0;
};

struct Pong {
  std::uint64_t number = 0;
};

// The last event of a connection. All its exchanges are gone. Write what output() still holds, then
// close the stream.
struct Closed {
  CloseReason reason = CloseReason::lost;
  bool by_peer = false;
  Error error;
};

using Event = std::variant<ClientHello, RunnerHello, Request, Note, Response, Data, DataEnd,
                           Writable, Cancelled, Pong, Closed>;

}  // namespace talaria::link
