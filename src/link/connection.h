// Connection: one end of one byte stream of a link. Bytes in, events out; calls in, bytes out; no
// I/O, no clock, no thread. The owner moves the bytes:
//
//   read from the stream -> receive() -> next_event() until it is empty
//   output() -> write to the stream -> wrote() -> next_event() until it is empty
//
// and calls output() again after any call that may have queued something. Both sides may open
// exchanges. A call that names an exchange which has ended meanwhile does nothing. A connection
// that closes takes its exchanges with it: what must survive is kept above (LinkClient) or is
// idempotent (the runner's methods).
//
// A peer that breaks the protocol, or does not read what it asked for, gets a GOAWAY and the owner
// a Closed; memory stays within limits.h whatever the peer sends.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "link/event.h"
#include "link/frame.h"
#include "link/handshake.h"
#include "link/limits.h"
#include "link/outbox.h"

namespace talaria::link {

class Connection {
 public:
  // The controller's end. Its HELLO is queued, and requests may follow without waiting.
  static Connection to_runner(const ClientHello& hello);

  // The runner's end. Its first event is a ClientHello; the next one comes after accept().
  static Connection to_client(const LinkLimits& limits = {});

  // What the peer takes, where that is known before its HELLO says it; else the least counts.
  void learn_peer_limits(const LinkLimits& limits);

  void accept(const RunnerHello& hello);
  void refuse(RunnerHello hello, CloseReason reason, const std::string& message);

  void receive(std::string_view bytes);
  std::optional<Event> next_event();

  std::string_view output();
  void wrote(std::size_t size);

  // Nothing more to read or write: close the stream.
  bool finished() const;

  // Opens an exchange. `data_limit`: the answer's data may reach up to there before grant().
  Result<ExchangeId> request(Method method, std::string_view body, std::uint64_t data_limit = 0);

  // The same under an id of the caller's: for requests that are sent again over a new connection.
  Result<void> request_as(ExchangeId id, Method method, std::string_view body,
                          std::uint64_t data_limit);

  // Answers. An answer above the peer's message limit arrives as an error of kind limit.
  void note(ExchangeId id, std::string_view body);
  void respond(ExchangeId id, const Result<std::string>& body);

  // Gives an exchange of ours up: no event about it follows.
  void cancel(ExchangeId id);

  // How many bytes from `offset` on may be sent now. If 0, a Writable follows when that changes.
  std::uint64_t sendable(ExchangeId id, std::uint64_t offset);

  // `bytes` is at most sendable(id, offset), and offset never goes back. Copies.
  void send_data(ExchangeId id, std::uint64_t offset, std::string_view bytes, bool errors = false);
  void end_data(ExchangeId id, std::uint64_t offset);

  // Lets the peer send data below `limit`, and informs it that nothing before `taken` will be asked
  // for again. Neither goes back.
  void grant(ExchangeId id, std::uint64_t taken, std::uint64_t limit);

  void ping(std::uint64_t number);  // answered by Pong; only the newest of several need be

  // Says GOAWAY and drops everything not yet handed out by output(): no Closed event follows.
  void close(CloseReason reason, const std::string& message);

  std::size_t open_exchanges() const { return exchanges_.size(); }
  std::size_t queued_bytes() const;  // waiting to be written, output() aside
  std::size_t reassembly_bytes() const { return reassembly_bytes_; }

  // Requests whose last byte output() has handed out since the last call: the peer may have them.
  std::vector<ExchangeId> take_sent_requests() { return std::exchange(sent_requests_, {}); }

 private:
  enum class Role { controller, runner };
  enum class Phase { awaiting_hello, awaiting_accept, open };

  struct Exchange {
    bool ours = false;          // we asked
    bool request_sent = false;  // ours: output() has handed out all of the request
    bool cancelled = false;     // ours: everything up to the response is dropped
    bool complete = false;      // theirs: all of the request is here
    bool answered = false;      // theirs: the response is queued; only its writing is left

    std::optional<FrameType> partial;  // the kind of message being put together
    std::string message;               // what of it is here

    std::uint64_t send_limit = 0;
    std::uint64_t send_next = 0;
    std::uint64_t peer_taken = 0;
    bool send_begun = false;
    bool send_ended = false;
    bool wants_room = false;

    std::uint64_t receive_limit = 0;
    std::uint64_t receive_next = 0;
    std::uint64_t taken = 0;
    bool receive_ended = false;
  };
  using Exchanges = std::unordered_map<ExchangeId, Exchange>;

  Connection(Role role, const LinkLimits& limits) : role_(role), limits_(limits) {}

  bool is_ours(ExchangeId id) const;
  Exchange* find(ExchangeId id);
  Exchange* answerable(ExchangeId id);
  Exchange* sending(ExchangeId id);
  void check_queue();
  void fail_connection(CloseReason reason, const std::string& message);
  void say_go_away(CloseReason reason, const std::string& message);
  void forget_exchanges();
  void forget_partial(Exchange& exchange);
  void erase(Exchanges::iterator it);
  void offer_room();
  Writable writable(ExchangeId id, const Exchange& exchange) const;

  // connection_receive.cc: one function per frame type. Nothing: the frame asks for no event.
  std::optional<Event> on_frame(const Frame& frame);
  std::optional<Event> on_hello(const Frame& frame);
  std::optional<Event> on_runner_hello(const Frame& frame);
  std::optional<Event> on_request(const Frame& frame);
  std::optional<Event> on_answer(const Frame& frame);
  std::optional<Event> on_data(const Frame& frame);
  std::optional<Event> on_credit(const Frame& frame);
  std::optional<Event> on_end(const Frame& frame);
  std::optional<Event> on_cancel(const Frame& frame);
  std::optional<Event> on_ping(const Frame& frame);
  std::optional<Event> on_go_away(const Frame& frame);
  std::optional<Event> breach(const std::string& what);
  Exchange* receiving(const Frame& frame);
  bool put_together(Exchange& exchange, const Frame& frame);

  Role role_;
  Phase phase_ = Phase::awaiting_hello;
  LinkLimits limits_;  // ours
  LinkLimits peer_limits_ = kLeastLimits;
  std::string instance_;         // runner: our own, once accepted
  bool names_instance_ = false;  // controller: our HELLO says which runner it is for ...
  std::string meant_for_;        // ... or else each request does
  bool closed_ = false;
  bool closed_by_peer_ = false;

  FrameReader reader_;
  Outbox outbox_;
  Exchanges exchanges_;
  std::size_t our_open_ = 0;
  std::size_t their_open_ = 0;
  std::size_t reassembly_bytes_ = 0;
  ExchangeId next_id_ = 0;
  std::deque<Event> events_;
  std::deque<ExchangeId> wanting_room_;
  std::vector<ExchangeId> sent_requests_;
};

}  // namespace talaria::link
