#include "link/client.h"

#include <algorithm>
#include <ranges>

namespace talaria::link {
namespace {

// Asking the same runner again would only bring the same answer.
bool is_final(CloseReason reason) {
  return reason == CloseReason::version || reason == CloseReason::protocol;
}

}  // namespace

LinkClient::LinkClient(LinkClientOptions options)
    : options_(std::move(options)),
      link_(options_.new_link_id()),
      instance_(options_.expected_instance) {}

Result<ExchangeId> LinkClient::request(Method method, std::string body, RequestOptions options) {
  if (exchanges_.size() >= kMaxExchanges) {
    return fail(ErrorKind::limit,
                "more than " + std::to_string(kMaxExchanges) + " requests are unfinished");
  }
  if (body.size() > kMaxMessage || held_bytes_ + body.size() > kMaxHeldRequests) {
    return fail(ErrorKind::limit, "a request of " + std::to_string(body.size()) +
                                      " bytes is too large beside the unfinished ones");
  }
  while (exchanges_.contains(next_id_)) next_id_ += 2;  // it may have been round once
  const ExchangeId id = std::exchange(next_id_, next_id_ + 2);
  held_bytes_ += body.size();
  Exchange& exchange = exchanges_[id];
  exchange.call = {method, std::move(body)};
  exchange.received = options.data_from;
  exchange.limit = options.data_limit;
  exchange.options = std::move(options);
  if (may_send()) send(id, exchange);
  return id;
}

void LinkClient::cancel(ExchangeId id) {
  const auto it = exchanges_.find(id);
  if (it == exchanges_.end()) return;
  forget(it);
  if (live_) connection_->cancel(id);
}

std::uint64_t LinkClient::sendable(ExchangeId id, std::uint64_t offset) {
  return live_ ? connection_->sendable(id, offset) : 0;
}

void LinkClient::send_data(ExchangeId id, std::uint64_t offset, std::string_view bytes) {
  if (live_) connection_->send_data(id, offset, bytes);
}

void LinkClient::end_data(ExchangeId id, std::uint64_t offset) {
  if (live_) connection_->end_data(id, offset);
}

void LinkClient::grant(ExchangeId id, std::uint64_t taken, std::uint64_t limit) {
  const auto it = exchanges_.find(id);
  if (it == exchanges_.end()) return;
  it->second.limit = std::max({it->second.limit, taken, limit});
  if (live_) connection_->grant(id, taken, limit);
}

bool LinkClient::took(ExchangeId id, std::uint64_t next) {
  const auto it = exchanges_.find(id);
  if (it == exchanges_.end()) return false;
  Exchange& exchange = it->second;
  exchange.owed = next + kDefaultWindow;
  if (exchange.limit + kCreditStep > exchange.owed) return exchange.owed > exchange.limit;
  grant(id, next, exchange.owed);
  return false;
}

void LinkClient::grant_owed() {
  for (const auto& [id, exchange] : exchanges_) {
    if (exchange.owed > exchange.limit) grant(id, exchange.owed - kDefaultWindow, exchange.owed);
  }
}

void LinkClient::connect(std::uint32_t batch_ms) {
  if (live_) end_connection(CloseReason::lost);
  ClientHello hello;
  hello.link = link_;
  hello.connection = ++connections_;
  hello.expected_instance = instance_;
  hello.resuming =
      std::ranges::any_of(exchanges_ | std::views::values, &Exchange::may_have_arrived);
  hello.batch_ms = batch_ms;
  hello.software = options_.software;
  hello.limits = options_.limits;
  connection_ = Connection::to_runner(hello);
  connection_->learn_peer_limits(instance_limits_);
  runner_.reset();
  live_ = true;
  accepted_ = false;
  if (may_send()) send_all();
}

void LinkClient::disconnected(Error error) {
  if (!live_) return;
  end_connection(CloseReason::lost);
  events_.push_back(Disconnected{.error = std::move(error)});
}

void LinkClient::receive(std::string_view bytes) {
  if (live_) connection_->receive(bytes);
}

std::optional<LinkEvent> LinkClient::next_event() {
  for (;;) {
    if (!events_.empty()) {
      LinkEvent event = std::move(events_.front());
      events_.pop_front();
      return event;
    }
    if (!live_) return std::nullopt;
    std::optional<Event> event = connection_->next_event();
    if (!event) return std::nullopt;
    const auto on_event = [this](auto& any) { return on(any); };
    if (std::optional<LinkEvent> own = std::visit(on_event, *event)) return own;
  }
}

std::string_view LinkClient::output() {
  if (!connection_) return {};
  const std::string_view bytes = connection_->output();
  for (const ExchangeId id : connection_->take_sent_requests()) {
    if (const auto it = exchanges_.find(id); it != exchanges_.end()) it->second.handed_out = true;
  }
  return bytes;
}

void LinkClient::wrote(std::size_t size) {
  if (connection_) connection_->wrote(size);
}

void LinkClient::ping(std::uint64_t number) {
  if (live_) connection_->ping(number);
}

void LinkClient::fail_all(const Error& error) {
  const Error lost(ErrorKind::runner_lost,
                   error.message() + "; the call may have been under way and was not sent again");
  while (!exchanges_.empty()) {
    const auto& [id, exchange] = *exchanges_.begin();
    const bool reached = exchange.may_have_arrived || exchange.handed_out;
    events_.push_back(Response{id, fail(reached ? lost : error)});
    cancel(id);
  }
}

bool LinkClient::stream_finished() const { return !connection_ || connection_->finished(); }

std::size_t LinkClient::queued_bytes() const {
  return held_bytes_ + (connection_ ? connection_->queued_bytes() : 0);
}

// Whether requests may go out now. Before a runner has answered they may only if we know which one
// it must be: if the connection breaks, the next HELLO then shows whether they arrived.
bool LinkClient::may_send() const {
  return live_ && (accepted_ || (!runner_ && (!instance_.empty() || options_.eager_first_contact)));
}

void LinkClient::send_all() {
  // send() may end an exchange, so the ids are copied first.
  std::vector<ExchangeId> ids;
  for (const auto& [id, exchange] : exchanges_) {
    if (!exchange.queued) ids.push_back(id);
  }
  for (const ExchangeId id : ids) send(id, exchanges_.at(id));
}

void LinkClient::send(ExchangeId id, Exchange& exchange) {
  const auto& resume = exchange.options.resume;
  const bool again = exchange.offered && resume;
  const Call other = again ? resume(exchange.received) : Call{};
  const Call& call = again ? other : exchange.call;
  const Result<void> opened = connection_->request_as(id, call.method, call.body, exchange.limit);
  if (!opened) {
    if (!accepted_) return;  // the runner may take more than the least: once it has answered
    finish(id, fail(opened.error()));
    return;
  }
  exchange.queued = true;
  exchange.offered = true;
  if (resume) {  // from now on it is asked what to send
    held_bytes_ -= exchange.call.body.size();
    exchange.call.body = {};
  }
}

// The present connection carries nothing more. `refused`: nothing that went over it was processed.
void LinkClient::end_connection(CloseReason reason) {
  const bool refused = is_refusal(reason);
  live_ = false;
  for (Exchange& exchange : exchanges_ | std::views::values) {
    if (exchange.handed_out && !refused) exchange.may_have_arrived = true;
    exchange.handed_out = false;
    exchange.queued = false;
  }
}

// The runner of this link is gone, or has forgotten it: what may have reached it is lost, and the
// rest continues over a new link to the runner that answered.
void LinkClient::begin_new_link() {
  const bool is_other = runner_ && runner_->instance != instance_;
  std::vector<ExchangeId> lost;
  std::vector<ExchangeId> unsent;
  for (const auto& [id, exchange] : exchanges_) {
    if (exchange.may_have_arrived) {
      lost.push_back(id);
    } else if (is_other && exchange.options.same_runner) {
      unsent.push_back(id);
    }
  }
  for (const ExchangeId id : lost) {
    finish(id, fail(ErrorKind::runner_lost,
                    "the runner was replaced or restarted while the call may have been under way; "
                    "it was not sent again"));
  }
  for (const ExchangeId id : unsent) {
    finish(id, fail(ErrorKind::unavailable,
                    "the runner was replaced or restarted before the call was sent"));
  }
  link_ = options_.new_link_id();
  connections_ = 0;
  replaced_ = true;
  instance_ = runner_ ? runner_->instance : std::string();
  instance_limits_ = kLeastLimits;
}

void LinkClient::finish(ExchangeId id, Result<std::string> body) {
  forget(exchanges_.find(id));
  events_.push_back(Response{id, std::move(body)});
}

void LinkClient::forget(std::map<ExchangeId, Exchange>::iterator it) {
  held_bytes_ -= it->second.call.body.size();
  exchanges_.erase(it);
}

std::optional<LinkEvent> LinkClient::on(RunnerHello& hello) {
  runner_ = hello;
  if (hello.refused || hello.major != kProtocolMajor) return std::nullopt;  // Closed follows
  if (!instance_.empty() && hello.instance != instance_) {
    connection_->close(CloseReason::protocol, "accepted a link meant for another instance");
    end_connection(CloseReason::protocol);
    return Disconnected{.reason = CloseReason::protocol,
                        .retry = false,
                        .error = Error(ErrorKind::unavailable,
                                       "link: a runner accepted a link meant for another one"),
                        .runner = runner_};
  }
  instance_ = hello.instance;
  instance_limits_ = hello.limits;
  accepted_ = true;
  send_all();
  return Connected{hello, std::exchange(replaced_, false)};
}

std::optional<LinkEvent> LinkClient::on(Closed& closed) {
  end_connection(closed.reason);
  const bool other_runner =
      closed.reason == CloseReason::instance || closed.reason == CloseReason::unknown_link;
  if (other_runner) begin_new_link();
  return Disconnected{closed.reason, !is_final(closed.reason), closed.error, runner_};
}

std::optional<LinkEvent> LinkClient::on(Request& request) {
  connection_->respond(request.id, fail(ErrorKind::bad_request,
                                        method_name(request.method) + ": unknown to this version"));
  return std::nullopt;
}

std::optional<LinkEvent> LinkClient::on(Response& response) {
  if (const auto it = exchanges_.find(response.id); it != exchanges_.end()) forget(it);
  return std::move(response);
}

std::optional<LinkEvent> LinkClient::on(Data& data) {
  const auto it = exchanges_.find(data.id);
  if (it == exchanges_.end()) return data;  // to an exchange the runner opened
  std::uint64_t& received = it->second.received;
  const std::uint64_t end = data.offset + data.bytes.size();
  if (end <= received) return std::nullopt;
  if (data.offset < received) {
    data.bytes.remove_prefix(received - data.offset);
    data.offset = received;
  }
  received = end;
  return data;
}

std::optional<LinkEvent> LinkClient::on(DataEnd& end) {
  if (const auto it = exchanges_.find(end.id); it != exchanges_.end()) {
    if (std::exchange(it->second.data_ended, true)) return std::nullopt;
  }
  return end;
}

}  // namespace talaria::link
