// LinkClient: the controller's end of a link, which outlives its connections. It keeps every
// request until it is answered and sends it again over each new connection, under the same exchange
// id and from the byte it has reached. To the callers a broken connection is a pause.
//
// What a caller may rely on, over any number of connections:
//   - each request is answered once (a Response event), unless it is cancelled;
//   - data arrives in order and without repetition; upload data is asked for again from `next`;
//   - a request that may have reached a runner which is gone, has forgotten this link or answers
//     no more, is never sent to another: it is answered with ErrorKind::runner_lost. One that
//     reached nobody is sent.
//   - a note may come again (a start says Started once per connection).
//
// Like Connection it does no I/O. The owner opens a stream, calls connect(), moves bytes, and when
// the stream ends drains next_event() and calls disconnected(); after a Closed event it closes the
// stream by itself. When to try again, and when to give up (fail_all), is the owner's to decide:
// Disconnected says what happened.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/result.h"
#include "link/connection.h"
#include "link/event.h"

namespace talaria::link {

// What is sent for a request.
struct Call {
  Method method{};
  std::string body;
};

struct RequestOptions {
  std::uint64_t data_from = 0;   // cursor of the first data byte the request asks for
  std::uint64_t data_limit = 0;  // the answer's data may reach up to here before grant()
  // What to send over the next connection instead, given the cursor behind the data received so
  // far: the same request from there, or a cheaper one with the same answer (Wait for a Start that
  // is known to run). Absent: the same again, and bytes that were here before are dropped.
  std::function<Call(std::uint64_t received)> resume;
  // Only for the runner of this link: if another one answers, and this request reached nobody, it
  // fails with ErrorKind::unavailable.
  bool same_runner = false;
};

struct LinkClientOptions {
  std::function<LinkId()> new_link_id;  // 16 random bytes; called again when a runner was replaced
  std::string software;
  LinkLimits limits;
  // The runner this link is for, if the caller knows it (from the runner's directory, say).
  std::string expected_instance;
  // Send requests behind the HELLO even before any runner has answered. Saves a round trip; but if
  // that first connection breaks, the requests may have reached a runner nobody can name, and are
  // lost if the next one does not know the link. Not needed with expected_instance.
  bool eager_first_contact = false;
};

// The runner answered; requests are on their way.
struct Connected {
  RunnerHello runner;
  bool replaced = false;  // not the runner of the connection before
};

struct Disconnected {
  CloseReason reason = CloseReason::lost;
  // False: the same runner will refuse again (its version differs, or it found us in breach).
  bool retry = true;
  Error error;
  std::optional<RunnerHello> runner;  // who refused us, if it said
};

using LinkEvent =
    std::variant<Connected, Disconnected, Note, Response, Data, DataEnd, Writable, Pong>;

class LinkClient {
 public:
  explicit LinkClient(LinkClientOptions options);

  // Fails with kind limit when too much is unfinished already.
  Result<ExchangeId> request(Method method, std::string body, RequestOptions options = {});

  template <class Message>
  Result<ExchangeId> request(const Message& message, RequestOptions options = {}) {
    return request(Message::kMethod, encode(message), std::move(options));
  }

  void cancel(ExchangeId id);
  std::uint64_t sendable(ExchangeId id, std::uint64_t offset);
  void send_data(ExchangeId id, std::uint64_t offset, std::string_view bytes);
  void end_data(ExchangeId id, std::uint64_t offset);
  void grant(ExchangeId id, std::uint64_t taken, std::uint64_t limit);
  // All before `next` was taken; more is granted when kCreditStep was, or by grant_owed(). Each
  // grant is a message on its way back, which may cost more than the data did. True: some is owed.
  bool took(ExchangeId id, std::uint64_t next);
  void grant_owed();

  // For Start: strictly increasing, over all links this client has had.
  std::uint64_t next_start_sequence() { return ++sequence_; }

  // A new stream to the runner is open. Drops the connection before it, if any. `batch_ms`: see
  // ClientHello.
  void connect(std::uint32_t batch_ms = 0);
  void disconnected(Error error);
  void receive(std::string_view bytes);
  std::optional<LinkEvent> next_event();
  std::string_view output();
  void wrote(std::size_t size);
  void ping(std::uint64_t number);

  // Ends every unfinished request; for an owner that gives up. Those that reached nobody fail with
  // this error. One that may have reached a runner is runner_lost, whatever the reason: a caller
  // that repeats it must know that it may have been done.
  void fail_all(const Error& error);

  bool connected() const { return live_ && accepted_; }
  bool stream_finished() const;  // the owner should close the stream
  std::size_t unfinished() const { return exchanges_.size(); }
  const LinkId& link() const { return link_; }
  const std::string& instance() const { return instance_; }
  std::size_t queued_bytes() const;

 private:
  struct Exchange {
    Call call;  // without its body once options.resume has taken over
    RequestOptions options;
    std::uint64_t received = 0;  // cursor behind the data handed to the caller
    std::uint64_t limit = 0;     // credit given so far
    std::uint64_t owed = 0;      // credit that was not given yet
    bool data_ended = false;
    bool offered = false;           // to some connection, so that options.resume applies
    bool queued = false;            // on the present connection
    bool handed_out = false;        // by output(), all of it, on the present connection
    bool may_have_arrived = false;  // over an earlier connection
  };

  bool may_send() const;
  void send_all();
  void send(ExchangeId id, Exchange& exchange);
  void end_connection(CloseReason reason);
  void begin_new_link();
  void finish(ExchangeId id, Result<std::string> body);
  void forget(std::map<ExchangeId, Exchange>::iterator it);

  // What an event of the connection means to the caller; nothing if it does not concern the caller.
  std::optional<LinkEvent> on(ClientHello&) { return std::nullopt; }  // only a runner gets one
  std::optional<LinkEvent> on(RunnerHello& hello);
  std::optional<LinkEvent> on(Closed& closed);
  std::optional<LinkEvent> on(Request& request);  // none is known yet: refused
  std::optional<LinkEvent> on(Cancelled&) { return std::nullopt; }
  std::optional<LinkEvent> on(Note& note) { return std::move(note); }
  std::optional<LinkEvent> on(Response& response);
  std::optional<LinkEvent> on(Data& data);
  std::optional<LinkEvent> on(DataEnd& end);
  std::optional<LinkEvent> on(Writable& writable) { return writable; }
  std::optional<LinkEvent> on(Pong& pong) { return pong; }

  LinkClientOptions options_;
  LinkId link_;
  std::string instance_;                       // the runner of this link; empty while unknown
  LinkLimits instance_limits_ = kLeastLimits;  // as it last said
  std::uint64_t connections_ = 0;              // of this link
  bool replaced_ = false;                      // this link follows one whose runner is gone
  std::uint64_t sequence_ = 0;
  ExchangeId next_id_ = 1;
  std::map<ExchangeId, Exchange> exchanges_;  // unfinished, in the order they were asked
  std::size_t held_bytes_ = 0;                // of their bodies

  std::optional<Connection> connection_;  // kept after its end, for what it has yet to write
  bool live_ = false;                     // it has not ended
  bool accepted_ = false;                 // and its runner has said yes
  std::optional<RunnerHello> runner_;     // what its runner said
  std::deque<LinkEvent> events_;
};

}  // namespace talaria::link
