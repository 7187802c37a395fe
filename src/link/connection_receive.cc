// The receiving half of Connection: what each frame of the peer does.

#include "link/connection.h"
#include "link/envelope.h"

namespace talaria::link {

void Connection::receive(std::string_view bytes) {
  if (!closed_) reader_.feed(bytes);
}

std::optional<Event> Connection::next_event() {
  for (;;) {
    if (!events_.empty()) {
      Event event = std::move(events_.front());
      events_.pop_front();
      return event;
    }
    if (closed_ || phase_ == Phase::awaiting_accept) return std::nullopt;

    const Result<std::optional<Frame>> frame = reader_.next();
    if (!frame) {
      breach(frame.error().message());
      continue;
    }
    if (!*frame) return std::nullopt;
    if (std::optional<Event> event = on_frame(**frame)) return event;
  }
}

std::optional<Event> Connection::on_frame(const Frame& frame) {
  if (phase_ == Phase::awaiting_hello) {
    if (frame.type != FrameType::hello) return breach("the first frame is not a HELLO");
    return on_hello(frame);
  }
  switch (frame.type) {
    case FrameType::hello:
      return breach("a second HELLO");
    case FrameType::request:
      return on_request(frame);
    case FrameType::note:
    case FrameType::response:
      return on_answer(frame);
    case FrameType::data:
      return on_data(frame);
    case FrameType::credit:
      return on_credit(frame);
    case FrameType::end:
      return on_end(frame);
    case FrameType::cancel:
      return on_cancel(frame);
    case FrameType::ping:
    case FrameType::pong:
      return on_ping(frame);
    case FrameType::go_away:
      return on_go_away(frame);
  }
  if ((frame.flags & kFlagOptional) != 0) return std::nullopt;
  return breach("frame type " + std::to_string(std::to_underlying(frame.type)) + " is unknown");
}

std::optional<Event> Connection::on_hello(const Frame& frame) {
  if (role_ == Role::controller) return on_runner_hello(frame);
  Result<ClientHello> hello = decode_client_hello(frame.payload);
  if (!hello) return breach(hello.error().message());
  learn_peer_limits(hello->limits);
  phase_ = Phase::awaiting_accept;
  return *std::move(hello);
}

std::optional<Event> Connection::on_runner_hello(const Frame& frame) {
  Result<RunnerHello> hello = decode_runner_hello(frame.payload);
  if (!hello) return breach(hello.error().message());
  learn_peer_limits(hello->limits);
  phase_ = Phase::open;
  // Our HELLO did not say which runner it is for, so each request does: a copy of this stream that
  // reaches another runner must not run there.
  if (!names_instance_) meant_for_ = hello->instance;
  if (hello->major != kProtocolMajor) {
    // Not left to the runner's GOAWAY: what follows is in a language we do not speak.
    fail_connection(CloseReason::version, "the runner speaks protocol " +
                                              std::to_string(hello->major) + ", we speak " +
                                              std::to_string(kProtocolMajor));
  }
  return *std::move(hello);
}

std::optional<Event> Connection::on_request(const Frame& frame) {
  const ExchangeId id = frame.exchange;
  if (id == 0 || is_ours(id)) return breach("a REQUEST under an id that is not the sender's");
  Exchange* exchange = find(id);
  if (exchange == nullptr) {
    if (their_open_ >= limits_.max_exchanges) {
      fail_connection(CloseReason::limit,
                      "more than " + std::to_string(limits_.max_exchanges) + " exchanges are open");
      return std::nullopt;
    }
    ++their_open_;
    exchange = &exchanges_[id];
  }
  if (exchange->answered && !exchange->complete) return std::nullopt;  // cancelled half-way
  if (exchange->complete) return breach("a REQUEST for an exchange that is open");

  if (!put_together(*exchange, frame)) return std::nullopt;
  const bool single = exchange->message.empty();
  Result<RequestEnvelope> request = decode_request(single ? frame.payload : exchange->message);
  forget_partial(*exchange);
  if (!request) return breach(request.error().message());
  exchange->complete = true;
  if (!request->instance.empty() && request->instance != instance_) {
    respond(id, fail(ErrorKind::runner_lost,
                     "meant for runner " + request->instance + ", this one is " + instance_));
    return std::nullopt;
  }
  exchange->send_limit = request->data_limit;
  return Request{id, request->method, std::move(request->body), request->data_limit};
}

std::optional<Event> Connection::on_answer(const Frame& frame) {
  const ExchangeId id = frame.exchange;
  const auto it = exchanges_.find(id);
  if (it == exchanges_.end() || !it->second.ours) return breach("an answer nobody waits for");
  Exchange& exchange = it->second;
  if (exchange.cancelled) {
    if (frame.type == FrameType::response && frame.last()) erase(it);
    return std::nullopt;
  }
  if (!exchange.request_sent) return breach("an answer to a request that is not yet sent");

  if (!put_together(exchange, frame)) return std::nullopt;
  const bool single = exchange.message.empty();
  const std::string_view message = single ? frame.payload : exchange.message;
  if (frame.type == FrameType::note) {
    Note note{id, std::string(message)};
    forget_partial(exchange);
    return note;
  }
  Result<Result<std::string>> response = decode_response(message);
  if (!response) return breach(response.error().message());
  outbox_.drop(id);
  erase(it);
  return Response{id, *std::move(response)};
}

// The exchange whose stream towards us the frame belongs to; nothing if the frame is to be skipped
// (then we answered before the peer knew, or gave the exchange up) or is a breach.
Connection::Exchange* Connection::receiving(const Frame& frame) {
  Exchange* exchange = find(frame.exchange);
  if (exchange == nullptr) {
    if (frame.exchange == 0 || is_ours(frame.exchange)) {
      breach("a frame for an exchange that is not open");
    }
    return nullptr;
  }
  if (exchange->cancelled || exchange->answered) return nullptr;
  if (!(exchange->ours ? exchange->request_sent : exchange->complete)) {
    breach("a frame for an exchange before its request");
    return nullptr;
  }
  return exchange;
}

std::optional<Event> Connection::on_data(const Frame& frame) {
  const std::optional<std::uint64_t> offset = number_at(frame.payload);
  if (!offset) return breach("DATA without an offset");
  const std::string_view bytes = frame.payload.substr(sizeof(*offset));
  Exchange* exchange = receiving(frame);
  if (exchange == nullptr) return std::nullopt;
  if (exchange->receive_ended) return breach("DATA after END");
  if (*offset < exchange->receive_next) return breach("DATA goes back");
  if (*offset > exchange->receive_limit || bytes.size() > exchange->receive_limit - *offset) {
    return breach("DATA beyond its credit");
  }
  if (bytes.empty()) return std::nullopt;
  exchange->receive_next = *offset + bytes.size();
  return Data{frame.exchange, *offset, bytes, (frame.flags & kFlagErrors) != 0};
}

std::optional<Event> Connection::on_credit(const Frame& frame) {
  const std::optional<std::uint64_t> taken = number_at(frame.payload);
  const std::optional<std::uint64_t> limit = number_at(frame.payload, sizeof(std::uint64_t));
  if (!taken || !limit || *taken > *limit) return breach("a malformed CREDIT");
  Exchange* exchange = receiving(frame);
  if (exchange == nullptr || exchange->send_ended) return std::nullopt;
  if (*taken <= exchange->peer_taken && *limit <= exchange->send_limit) return std::nullopt;
  exchange->peer_taken = std::max(exchange->peer_taken, *taken);
  exchange->send_limit = std::max(exchange->send_limit, *limit);
  // Bytes of an earlier connection need not be sent again.
  if (!exchange->send_begun) exchange->send_next = exchange->peer_taken;
  return writable(frame.exchange, *exchange);
}

std::optional<Event> Connection::on_end(const Frame& frame) {
  const std::optional<std::uint64_t> offset = number_at(frame.payload);
  if (!offset) return breach("END without an offset");
  Exchange* exchange = receiving(frame);
  if (exchange == nullptr) return std::nullopt;
  if (exchange->receive_ended) return breach("a second END");
  if (*offset < exchange->receive_next) return breach("END goes back");
  exchange->receive_ended = true;
  return DataEnd{frame.exchange, *offset};
}

std::optional<Event> Connection::on_cancel(const Frame& frame) {
  const ExchangeId id = frame.exchange;
  if (id == 0 || is_ours(id)) return breach("a CANCEL from the answering side");
  Exchange* exchange = find(id);
  if (exchange == nullptr || exchange->answered) return std::nullopt;  // they crossed
  const bool seen = exchange->complete;
  forget_partial(*exchange);
  outbox_.drop(id);
  exchange->answered = true;
  outbox_.message(id, FrameType::response,
                  encode_response(fail(ErrorKind::interrupted, "cancelled")));
  if (!seen) return std::nullopt;
  return Cancelled{id};
}

std::optional<Event> Connection::on_ping(const Frame& frame) {
  const std::optional<std::uint64_t> number = number_at(frame.payload);
  if (!number) return breach("a PING or PONG without its number");
  if (frame.type == FrameType::pong) return Pong{*number};
  outbox_.pong(*number);
  return std::nullopt;
}

std::optional<Event> Connection::on_go_away(const Frame& frame) {
  const Result<GoAway> go_away = decode_go_away(frame.payload);
  if (!go_away) return breach(go_away.error().message());
  forget_exchanges();
  outbox_.drop_exchanges();
  closed_ = true;
  closed_by_peer_ = true;
  const ErrorKind kind =
      go_away->reason == CloseReason::limit ? ErrorKind::limit : ErrorKind::unavailable;
  return Closed{go_away->reason, true, Error(kind, "link: the peer says: " + go_away->message)};
}

// Adds a fragment. True when the message is whole: in exchange.message, or, if it came in a single
// frame, in that frame alone.
bool Connection::put_together(Exchange& exchange, const Frame& frame) {
  if (exchange.partial && *exchange.partial != frame.type) {
    breach("a message inside another");
    return false;
  }
  const bool single = !exchange.partial && frame.last();
  if (single) return true;
  exchange.partial = frame.type;
  if (exchange.message.size() + frame.payload.size() > limits_.max_message) {
    fail_connection(CloseReason::limit,
                    "a message has more than " + std::to_string(limits_.max_message) + " bytes");
    return false;
  }
  if (reassembly_bytes_ + frame.payload.size() > limits_.max_reassembly) {
    fail_connection(CloseReason::limit, "unfinished messages have more than " +
                                            std::to_string(limits_.max_reassembly) + " bytes");
    return false;
  }
  exchange.message.append(frame.payload);
  reassembly_bytes_ += frame.payload.size();
  return frame.last();
}

std::optional<Event> Connection::breach(const std::string& what) {
  fail_connection(CloseReason::protocol, what);
  return std::nullopt;
}

}  // namespace talaria::link
