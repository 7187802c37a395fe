#include "runner/serve/runner_link.h"

#include <sys/socket.h>

#include <algorithm>
#include <vector>

#include <boost/asio/post.hpp>

#include "runner/limits.h"

namespace talaria::runner {

RunnerLink::RunnerLink(RunnerParts& parts, Socket socket, link::ConnectionKey key,
                       std::function<void(link::ConnectionKey)> close_other)
    : parts_(parts),
      socket_(std::move(socket)),
      key_(key),
      close_other_(std::move(close_other)),
      connection_(link::Connection::to_client()),
      patience_(parts.loop(), kHelloPatience) {}

RunnerLink::~RunnerLink() {
  leave_batch();
  parts_.jobs().events().unfollow(*this);
  for (const auto& [id, request] : open_) {
    if (!request->run()) continue;
    Run& run = *request->run();
    parts_.links().unwatch(run, *this);
    if (const auto cursor = request->lossless_cursor()) run.keep_for_reader(*cursor);
  }
  if (link_) parts_.links().disconnected(*link_, key_);
}

Task<void> RunnerLink::serve() {
  const auto self = shared_from_this();
  socket_.native_non_blocking(true);
  patience_.async_wait([weak = weak_from_this()](boost::system::error_code error) {
    const auto alive = weak.lock();
    if (alive && !error) alive->close(link::CloseReason::protocol, "no HELLO came");
  });
  std::vector<char> buffer(64 * link::kKiB);
  while (socket_.is_open()) {
    const auto [error, size] = co_await socket_.async_read_some(asio::buffer(buffer), as_values);
    if (error) break;
    connection_.receive({buffer.data(), size});
    take_events();
    flush();
  }
  peer_finished_ = true;
  end_batch_if_said();
  while (socket_.is_open() && batch_ms_ > 0) {  // a batch: the answers are still to come
    const auto [error] = co_await patience_.async_wait(as_values);
    (void)error;
    if (patience_.expiry() <= std::chrono::steady_clock::now()) break;
  }
}

void RunnerLink::leave_batch() {
  if (batch_ms_ == 0) return;
  for (const auto& [id, request] : open_) request->batch_ended();
}

void RunnerLink::close(link::CloseReason reason, const std::string& message) {
  leave_batch();
  connection_.close(reason, message);
  flush();
  boost::system::error_code ignored;
  socket_.shutdown(Socket::shutdown_both, ignored);
  socket_.close(ignored);
  patience_.cancel();
}

void RunnerLink::take_events() {
  in_events_ = true;
  while (auto event = connection_.next_event()) {
    if (const auto* hello = std::get_if<link::ClientHello>(&*event)) on_hello(*hello);
    if (const auto* request = std::get_if<link::Request>(&*event)) on_request(*request);
    if (const auto* data = std::get_if<link::Data>(&*event)) on_data(*data);
    if (const auto* end = std::get_if<link::DataEnd>(&*event)) on_data_end(*end);
    if (const auto* writable = std::get_if<link::Writable>(&*event)) on_writable(*writable);
    if (const auto* cancelled = std::get_if<link::Cancelled>(&*event)) forget(cancelled->id);
  }
  in_events_ = false;
}

void RunnerLink::on_hello(const link::ClientHello& hello) {
  const link::Admission admission = parts_.links().admit(hello, key_);
  link::RunnerHello answer = parts_.hello();
  answer.known_link = admission.known_link;
  if (admission.refusal) {
    connection_.refuse(answer, *admission.refusal, admission.message);
    return;
  }
  if (admission.superseded) close_other_(*admission.superseded);
  link_ = hello.link;
  batch_ms_ = hello.batch_ms;
  if (batch_ms_ > 0) {
    patience_.expires_after(std::chrono::milliseconds(batch_ms_));
  } else {
    patience_.cancel();
  }
  connection_.accept(answer);
}

void RunnerLink::on_request(const link::Request& request) {
  auto begun = begin(request);
  if (!begun) {
    answer(request.id, fail(begun.error()));
  } else if (auto* reply = std::get_if<std::string>(&*begun)) {
    answer(request.id, std::move(*reply));
  } else {
    open(request.id, std::move(std::get<std::unique_ptr<OpenRequest>>(*begun)));
  }
}

Result<Begun> RunnerLink::begin(const link::Request& request) {
  const auto wake = [weak = weak_from_this(), id = request.id] {
    const auto self = weak.lock();
    if (!self) return;
    self->progress(id);
    self->flush();
  };
  const RequestContext context{parts_, connection_, *link_, request.id, wake};
  return begin_request(context, request.method, request.body);
}

void RunnerLink::on_writable(const link::Writable& writable) {
  const auto found = open_.find(writable.id);
  if (found == open_.end()) return;
  OpenRequest& request = *found->second;
  request.reader_at(writable.taken);
  if (request.run() && request.streams_output()) request.run()->reader_moved();
  progress(writable.id);
}

void RunnerLink::on_data(const link::Data& data) {
  const auto found = open_.find(data.id);
  if (found == open_.end()) return;
  if (const auto taken = found->second->take_data(data); !taken) {
    answer(data.id, fail(taken.error()));
    return;
  }
  progress(data.id);
}

void RunnerLink::on_data_end(const link::DataEnd& end) {
  const auto found = open_.find(end.id);
  if (found == open_.end()) return;
  found->second->data_ended(end);
  progress(end.id);
}

void RunnerLink::open(link::ExchangeId id, std::unique_ptr<OpenRequest> request) {
  const std::shared_ptr<Run> run = request->run();
  const bool follows_events = request->follows_events();
  open_.insert_or_assign(id, std::move(request));
  if (run) {
    parts_.links().watch(*run, *this);
  } else if (follows_events) {
    follows_events_ = true;
    parts_.jobs().events().follow(*this);
  }
  progress(id);
}

void RunnerLink::progress(link::ExchangeId id) {
  const auto found = open_.find(id);
  if (found == open_.end()) return;
  const auto reply = found->second->progress();
  said_something_ |= found->second->said_something();
  if (reply) {
    answer(id, *reply);
  } else if (found->second->wants_turn()) {
    asio::post(parts_.loop(), [weak = weak_from_this(), id] {
      const auto self = weak.lock();
      if (!self) return;
      self->progress(id);
      self->flush();
    });
  }
}

void RunnerLink::answer(link::ExchangeId id, const Result<std::string>& body) {
  connection_.respond(id, body);
  said_something_ = true;
  forget(id);
}

void RunnerLink::forget(link::ExchangeId id) {
  const auto found = open_.find(id);
  if (found == open_.end()) return;
  const std::shared_ptr<Run> run = found->second->run();
  const bool followed_events = found->second->follows_events();
  open_.erase(found);
  if (!run && !followed_events) return;
  for (const auto& [other, request] : open_) {
    if (request->run() == run && request->follows_events() == followed_events) return;
  }
  if (!run) {
    follows_events_ = false;
    parts_.jobs().events().unfollow(*this);
    return;
  }
  parts_.links().unwatch(*run, *this);
}

void RunnerLink::progress_all(const Run& run) {
  std::vector<link::ExchangeId> ids;
  for (const auto& [id, request] : open_) {
    if (request->run().get() == &run) ids.push_back(id);
  }
  for (const link::ExchangeId id : ids) progress(id);
  if (!in_events_) flush();
}

void RunnerLink::progress_events() {
  std::vector<link::ExchangeId> ids;
  for (const auto& [id, request] : open_) {
    if (request->follows_events()) ids.push_back(id);
  }
  for (const link::ExchangeId id : ids) progress(id);
}

void RunnerLink::event_added() {
  progress_events();
  if (!in_events_) flush();
}

void RunnerLink::output_grew(Run& run, std::string_view) {
  for (const auto& [id, request] : open_) {
    if (request->run().get() == &run && request->streams_output()) return progress_all(run);
  }
}

void RunnerLink::run_finished(Run& run) {
  const std::string session = run.spec().session;
  progress_all(run);
  parts_.sessions().refill_soon(session);
  // A controller that waited for the end of a background command starts the next one at once.
  if (run.spec().background()) parts_.sessions().refill_now();
}

std::optional<std::uint64_t> RunnerLink::lossless_cursor(const Run& run) const {
  std::optional<std::uint64_t> least;
  for (const auto& [id, request] : open_) {
    if (request->run().get() != &run) continue;
    const auto cursor = request->lossless_cursor();
    if (cursor) least = std::min(least.value_or(UINT64_MAX), *cursor);
  }
  return least;
}

void RunnerLink::flush() {
  if (writing_ || !socket_.is_open()) return;
  for (;;) {
    if (follows_events_) progress_events();  // they may have waited for room
    const std::string_view bytes = connection_.output();
    if (bytes.empty()) break;
    const ssize_t size =
        ::send(socket_.native_handle(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) {
      writing_ = true;
      socket_.async_wait(Socket::wait_write,
                         [weak = weak_from_this()](boost::system::error_code error) {
                           const auto self = weak.lock();
                           if (!self) return;
                           self->writing_ = false;
                           if (error) return;
                           self->flush();
                         });
      return;
    }
    if (size < 0) {  // the reading side learns of it, too
      boost::system::error_code ignored;
      socket_.shutdown(Socket::shutdown_both, ignored);
      return;
    }
    connection_.wrote(static_cast<std::size_t>(size));
    take_events();
  }
  if (connection_.finished()) {
    boost::system::error_code ignored;
    socket_.shutdown(Socket::shutdown_both, ignored);
  }
  end_batch_if_said();
}

// A batch is over when its client has sent everything and there is something to carry back, or
// nothing more can come.
void RunnerLink::end_batch_if_said() {
  if (batch_ms_ == 0 || !peer_finished_ || writing_) return;
  if (!said_something_ && connection_.open_exchanges() > 0) return;
  boost::system::error_code ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
  socket_.close(ignored);
  patience_.cancel();
}

}  // namespace talaria::runner
