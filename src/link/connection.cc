#include "link/connection.h"

#include <algorithm>
#include <stdexcept>

#include "link/envelope.h"

namespace talaria::link {

Connection Connection::to_runner(const ClientHello& hello) {
  Connection connection(Role::controller, hello.limits);
  connection.names_instance_ = !hello.expected_instance.empty();
  connection.outbox_.control({.type = FrameType::hello, .payload = encode_hello(hello)});
  return connection;
}

Connection Connection::to_client(const LinkLimits& limits) {
  return Connection(Role::runner, limits);
}

void Connection::accept(const RunnerHello& hello) {
  if (closed_ || phase_ != Phase::awaiting_accept) return;
  phase_ = Phase::open;
  instance_ = hello.instance;
  outbox_.control({.type = FrameType::hello, .payload = encode_hello(hello)});
}

void Connection::refuse(RunnerHello hello, CloseReason reason, const std::string& message) {
  if (closed_ || phase_ != Phase::awaiting_accept) return;
  hello.refused = true;
  outbox_.control({.type = FrameType::hello, .payload = encode_hello(hello)});
  say_go_away(reason, message);
}

std::string_view Connection::output() {
  const std::string_view bytes = outbox_.output();
  for (const Outbox::Sent& sent : outbox_.take_sent()) {
    const auto it = exchanges_.find(sent.exchange);
    if (it == exchanges_.end()) continue;
    if (sent.type == FrameType::request) {
      it->second.request_sent = true;
      sent_requests_.push_back(sent.exchange);
    } else if (sent.type == FrameType::response) {
      erase(it);
    }
  }
  return bytes;
}

void Connection::wrote(std::size_t size) {
  outbox_.wrote(size);
  offer_room();
}

bool Connection::finished() const { return closed_ && (closed_by_peer_ || outbox_.empty()); }

Result<ExchangeId> Connection::request(Method method, std::string_view body,
                                       std::uint64_t data_limit) {
  const ExchangeId id = next_id_ != 0 ? next_id_ : (role_ == Role::controller ? 1 : 2);
  if (const Result<void> opened = request_as(id, method, body, data_limit); !opened) {
    return fail(opened.error());
  }
  next_id_ = id + 2;
  return id;
}

Result<void> Connection::request_as(ExchangeId id, Method method, std::string_view body,
                                    std::uint64_t data_limit) {
  if (closed_) return fail(ErrorKind::unavailable, "the connection is closed");
  if (our_open_ >= peer_limits_.max_exchanges) {
    return fail(ErrorKind::limit, "more than " + std::to_string(peer_limits_.max_exchanges) +
                                      " exchanges would be open at once");
  }
  std::string message = encode_request(method, data_limit, meant_for_, body);
  if (message.size() > peer_limits_.max_message) {
    return fail(ErrorKind::limit, "a request of " + std::to_string(message.size()) +
                                      " bytes; the peer takes at most " +
                                      std::to_string(peer_limits_.max_message));
  }
  if (outbox_.queued_messages() + message.size() > kMaxQueuedMessages) {
    return fail(ErrorKind::limit, "more than " + std::to_string(kMaxQueuedMessages) +
                                      " bytes of requests would wait to be written");
  }
  Exchange& exchange = exchanges_[id];
  exchange.ours = true;
  exchange.receive_limit = data_limit;
  ++our_open_;
  outbox_.message(id, FrameType::request, std::move(message));
  return {};
}

void Connection::note(ExchangeId id, std::string_view body) {
  if (answerable(id) == nullptr) return;
  if (body.size() > peer_limits_.max_message) {
    fail_connection(CloseReason::limit, "a note above the peer's message limit");
    return;
  }
  outbox_.message(id, FrameType::note, std::string(body));
  check_queue();
}

void Connection::respond(ExchangeId id, const Result<std::string>& body) {
  Exchange* exchange = answerable(id);
  if (exchange == nullptr) return;
  std::string message = encode_response(body);
  if (message.size() > peer_limits_.max_message) {
    message = encode_response(
        fail(ErrorKind::limit, "the answer has " + std::to_string(message.size()) +
                                   " bytes; at most " + std::to_string(peer_limits_.max_message)));
  }
  exchange->answered = true;
  outbox_.message(id, FrameType::response, std::move(message));
  check_queue();
}

void Connection::cancel(ExchangeId id) {
  const auto it = exchanges_.find(id);
  if (it == exchanges_.end() || !it->second.ours || it->second.cancelled) return;
  const bool begun = outbox_.drop(id);
  if (!begun && !it->second.request_sent) {
    erase(it);  // the peer never hears of it
    return;
  }
  it->second.cancelled = true;
  forget_partial(it->second);
  outbox_.control({.type = FrameType::cancel, .exchange = id});
}

std::uint64_t Connection::sendable(ExchangeId id, std::uint64_t offset) {
  Exchange* exchange = sending(id);
  if (exchange == nullptr || exchange->send_limit <= offset) return 0;
  const std::size_t room = outbox_.room(id);
  if (room == 0 && !exchange->wants_room) {
    exchange->wants_room = true;
    wanting_room_.push_back(id);
  }
  return std::min<std::uint64_t>(exchange->send_limit - offset, room);
}

void Connection::send_data(ExchangeId id, std::uint64_t offset, std::string_view bytes,
                           bool errors) {
  Exchange* exchange = sending(id);
  if (exchange == nullptr) return;
  const std::uint64_t end = offset + bytes.size();
  if (end > exchange->send_limit || (exchange->send_begun && offset < exchange->send_next)) {
    throw std::logic_error("link: data sent without credit or out of order");
  }
  exchange->send_begun = true;
  exchange->send_next = end;
  outbox_.data(id, offset, bytes, errors);
}

void Connection::end_data(ExchangeId id, std::uint64_t offset) {
  Exchange* exchange = sending(id);
  if (exchange == nullptr) return;
  exchange->send_ended = true;
  outbox_.end(id, offset);
}

void Connection::grant(ExchangeId id, std::uint64_t taken, std::uint64_t limit) {
  Exchange* exchange = find(id);
  if (exchange == nullptr || exchange->cancelled || exchange->answered) return;
  if (taken <= exchange->taken && limit <= exchange->receive_limit) return;
  exchange->taken = std::max(exchange->taken, taken);
  exchange->receive_limit = std::max({exchange->receive_limit, limit, taken});
  outbox_.credit(id, exchange->taken, exchange->receive_limit);
}

void Connection::ping(std::uint64_t number) {
  if (!closed_) outbox_.ping(number);
}

void Connection::close(CloseReason reason, const std::string& message) {
  if (!closed_) say_go_away(reason, message);
}

std::size_t Connection::queued_bytes() const {
  return outbox_.queued_data() + outbox_.queued_messages();
}

bool Connection::is_ours(ExchangeId id) const {
  return (id % 2 == 1) == (role_ == Role::controller);
}

Connection::Exchange* Connection::find(ExchangeId id) {
  const auto it = exchanges_.find(id);
  return it == exchanges_.end() ? nullptr : &it->second;
}

// The exchange, if its answer is ours to give.
Connection::Exchange* Connection::answerable(ExchangeId id) {
  Exchange* exchange = find(id);
  const bool open =
      exchange != nullptr && !exchange->ours && exchange->complete && !exchange->answered;
  return open ? exchange : nullptr;
}

// The exchange, if data may still be sent in it.
Connection::Exchange* Connection::sending(ExchangeId id) {
  Exchange* exchange = find(id);
  if (exchange == nullptr || exchange->send_ended) return nullptr;
  const bool open = exchange->ours ? !exchange->cancelled : answerable(id) != nullptr;
  return open ? exchange : nullptr;
}

void Connection::learn_peer_limits(const LinkLimits& limits) {
  peer_limits_ = limits;
  outbox_.set_peer_reassembly(limits.max_reassembly);
}

void Connection::check_queue() {
  if (outbox_.queued_messages() <= kMaxQueuedMessages) return;
  fail_connection(CloseReason::limit,
                  "more than " + std::to_string(kMaxQueuedMessages) +
                      " bytes of answers wait to be written: the peer does not read");
}

void Connection::fail_connection(CloseReason reason, const std::string& message) {
  say_go_away(reason, message);
  const ErrorKind kind = reason == CloseReason::limit ? ErrorKind::limit : ErrorKind::unavailable;
  events_.push_back(Closed{.reason = reason, .error = Error(kind, "link: " + message)});
}

void Connection::say_go_away(CloseReason reason, const std::string& message) {
  // A HELLO that still waits must not be lost with the rest: it says who goes away.
  forget_exchanges();
  outbox_.drop_exchanges();
  outbox_.control({.type = FrameType::go_away, .payload = encode_go_away({reason, message})});
  closed_ = true;
}

void Connection::forget_exchanges() {
  exchanges_.clear();
  our_open_ = 0;
  their_open_ = 0;
  reassembly_bytes_ = 0;
  wanting_room_.clear();
  events_.clear();
}

void Connection::forget_partial(Exchange& exchange) {
  reassembly_bytes_ -= exchange.message.size();
  exchange.message = {};
  exchange.partial.reset();
}

void Connection::erase(Exchanges::iterator it) {
  forget_partial(it->second);
  --(it->second.ours ? our_open_ : their_open_);
  exchanges_.erase(it);
}

// Notifies the exchanges that wait for room, in the order in which they began to wait.
void Connection::offer_room() {
  for (std::size_t left = wanting_room_.size(); left > 0; --left) {
    const ExchangeId id = wanting_room_.front();
    wanting_room_.pop_front();
    Exchange* exchange = sending(id);
    if (exchange == nullptr || !exchange->wants_room) continue;
    if (outbox_.room(id) < kMaxFrameData) {
      wanting_room_.push_back(id);
      continue;
    }
    exchange->wants_room = false;
    events_.push_back(writable(id, *exchange));
  }
}

Writable Connection::writable(ExchangeId id, const Exchange& exchange) const {
  return {id, exchange.send_next, exchange.peer_taken, exchange.send_limit};
}

}  // namespace talaria::link
