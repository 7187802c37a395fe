#include "link/driver.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/backoff.h"
#include "base/event.h"
#include "base/text.h"

namespace talaria::link {
namespace {

constexpr auto kGrantDelay = std::chrono::milliseconds(2);
constexpr auto kFirstPause = std::chrono::milliseconds(10);
constexpr auto kLongestPause = std::chrono::milliseconds(1000);
constexpr std::size_t kReadAtOnce = 128u << 10;
constexpr auto kBatchGivesWay = std::chrono::milliseconds(50);

using Clock = std::chrono::steady_clock;

std::string about(const ByteStream& stream) {
  const std::string text = stream.about ? stream.about() : "";
  return text.empty() ? "" : " (" + text + ")";
}

bool has_hung_up(int fd) {
  pollfd end{.fd = fd, .events = POLLRDHUP, .revents = 0};
  return ::poll(&end, 1, 0) > 0 && (end.revents & (POLLHUP | POLLRDHUP)) != 0;
}

}  // namespace

LinkDriver::LinkDriver(const asio::any_io_executor& executor, Connect connect,
                       LinkDriverOptions options)
    : executor_(executor),
      connect_(std::move(connect)),
      options_(std::move(options)),
      client_(options_.client),
      alarm_(executor),
      grant_(executor),
      way_(executor),
      silence_({}, {}) {}

class LinkDriver::Pending {
 public:
  Pending(ExchangeId its_id, LinkCall options) : id(its_id), call(std::move(options)) {}

  ExchangeId id;
  LinkCall call;
  std::optional<Result<std::string>> answer;
  AsyncEvent done;  // the answer is there
};

Result<std::shared_ptr<LinkDriver::Pending>> LinkDriver::begin(Method method, std::string body,
                                                               LinkCall options) {
  const auto id = client_.request(method, std::move(body), options.request);
  if (!id) {
    if (client_.unfinished() > 0) start_or_flush();  // one before it may have waited for this one
    return fail(id.error());
  }
  const bool waits = options.another_follows;
  auto pending = std::make_shared<Pending>(*id, std::move(options));
  pending_.emplace(*id, pending);
  upload_more(*id, *pending, pending->call.upload_from);
  if (!waits) start_or_flush();
  return pending;
}

Task<Result<std::string>> LinkDriver::finish(std::shared_ptr<Pending> pending, CancelToken cancel) {
  const auto self = shared_from_this();
  cancel.on_cancel([this, pending] { give_up(*pending); });
  co_await pending->done.wait();
  cancel.on_cancel(nullptr);
  if (!pending->answer) co_return fail(ErrorKind::interrupted, "the wait was given up");
  co_return std::move(*pending->answer);
}

void LinkDriver::give_up(Pending& pending) {
  if (pending.answer) return;
  pending.answer = fail(ErrorKind::interrupted, "the wait was given up");
  client_.cancel(pending.id);
  pending_.erase(pending.id);
  pending.done.set();
  flush();
}

bool LinkDriver::connected() const {
  return stream_ && stream_->reader.is_open() && !has_hung_up(stream_->reader.native_handle());
}

void LinkDriver::disconnect() {
  if (!stream_) return;
  boost::system::error_code ignored;
  stream_->reader.close(ignored);
  stream_->writer.close(ignored);
}

void LinkDriver::start_or_flush() {
  if (running_) {
    if (stream_ && !alarm_set_) check_silence();
    flush();
    return have_batch_give_way();
  }
  running_ = true;
  spawn(executor_, run_streams());
}

// One stream after the other, as long as something is unfinished or the stream is there.
Task<void> LinkDriver::run_streams() {
  const auto self = shared_from_this();
  Backoff backoff(kFirstPause, kLongestPause);
  auto give_up_at = Clock::now() + options_.patience;
  while (client_.unfinished() > 0) {
    const auto asked = Clock::now();
    Result<ByteStream> opened = co_await connect_();
    // To open one may mean to make a target anew, which takes what it takes.
    if (opened) give_up_at += Clock::now() - asked;
    const Error error = opened ? co_await serve_stream(std::move(*opened)) : opened.error();
    const auto now = Clock::now();
    const bool worked = std::exchange(greeted_, false);
    if (worked) {
      backoff.reset();
      give_up_at = now + options_.patience;
    }
    if (client_.unfinished() == 0) break;
    // A target that was never reached is more likely misconfigured than away for a moment.
    const bool never_reached = !opened && client_.instance().empty();
    if (now >= give_up_at || never_reached) {
      give_up(error);
      break;
    }
    if (options_.batch_ms > 0 && worked) continue;  // the end of a batch is not a failure
    co_await backoff.pause();
  }
  running_ = false;
}

// One stream, to its end. Returns why it ended.
Task<Error> LinkDriver::serve_stream(ByteStream opened) {
  const auto stream = std::make_shared<ByteStream>(std::move(opened));
  boost::system::error_code ignored;
  stream->writer.non_blocking(true, ignored);
  stream_ = stream;
  something_waits_ = false;
  lost_.reset();
  silence_ = Silence(silence_limits(), Clock::now());
  set_alarm();
  client_.connect(options_.batch_ms);
  flush();
  receive(*stream, std::exchange(stream->early, {}));
  take_events();
  co_await read_stream(stream);
  if (!lost_) lose_stream("the stream to the runner broke");
  stream_.reset();
  writing_ = false;
  Error error = *lost_;
  client_.disconnected(error);
  take_events();
  co_return error;
}

Task<void> LinkDriver::read_stream(std::shared_ptr<ByteStream> stream) {
  // Not filled with zeroes: a program that runs one command never touches most of it.
  const auto buffer = std::make_unique_for_overwrite<char[]>(kReadAtOnce);
  for (;;) {
    const auto [error, size] =
        co_await stream->reader.async_read_some(asio::buffer(buffer.get(), kReadAtOnce), as_values);
    if (error) {
      if (stream->preamble && !lost_) lose_stream(stream->preamble->ended().message());
      co_return;
    }
    silence_.broken(Clock::now());
    receive(*stream, {buffer.get(), size});
    take_events();
    flush();
    if (client_.stream_finished()) co_return;
  }
}

void LinkDriver::receive(ByteStream& stream, std::string_view bytes) {
  if (!stream.preamble) return client_.receive(bytes);
  const auto found = stream.preamble->feed(bytes);
  if (!found) return lose_stream(found.error().message());
  if (!*found) return;
  client_.receive(stream.preamble->rest());
  stream.preamble.reset();
}

SilenceLimits LinkDriver::silence_limits() const {
  return {.greeting = options_.patience + std::chrono::milliseconds(options_.batch_ms),
          .ask_after = options_.ask_after,
          .answer = options_.answer_within};
}

// Only while a call waits: a link without one costs nothing, and its alarm is not set again.
void LinkDriver::check_silence() {
  alarm_set_ = false;
  if (!stream_ || client_.unfinished() == 0) return;
  const auto limit = silence_.limit();
  switch (silence_.judge(Clock::now())) {
    case Silence::Verdict::give_up:
      return lose_stream("no answer in " + in_seconds(limit) +
                         " s: the runner is stopped, overloaded or out of reach");
    case Silence::Verdict::ask:
      client_.ping(++pings_);
      flush();
      break;
    case Silence::Verdict::bear:
      break;
  }
  set_alarm();
}

void LinkDriver::set_alarm() {
  alarm_set_ = true;
  alarm_.expires_at(silence_.next());
  alarm_.async_wait([weak = weak_from_this()](boost::system::error_code error) {
    const auto self = weak.lock();
    if (self && !error) self->check_silence();
  });
}

void LinkDriver::lose_stream(const std::string& why) {
  lost_ = Error(ErrorKind::unavailable, why + about(*stream_));
  disconnect();
}

// A batch that has said everything and waits for something to happen would hold up what is new; the
// next one carries both. It has a moment from its greeting on to bring what it was sent for.
void LinkDriver::have_batch_give_way() {
  if (options_.batch_ms == 0 || !stream_ || stream_->writer.is_open()) return;
  if (std::exchange(something_waits_, true) || !greeted_) return;
  way_.expires_after(kBatchGivesWay);
  way_.async_wait([weak = weak_from_this(), stream = stream_](boost::system::error_code error) {
    const auto self = weak.lock();
    if (!error && self && self->stream_ == stream) self->lose_stream("the batch gave way");
  });
}

void LinkDriver::stop_writing() {
  boost::system::error_code ignored;
  stream_->writer.close(ignored);
  silence_.deaf(Clock::now());
}

void LinkDriver::flush() {
  if (writing_ || !stream_ || !stream_->writer.is_open()) return;
  for (;;) {
    const std::string_view bytes = client_.output();
    if (bytes.empty()) break;
    // What is not handed to a stream whose other end is gone can go to the next runner.
    if (has_hung_up(stream_->reader.native_handle())) {
      stop_writing();
      return set_alarm();
    }
    boost::system::error_code failed;
    const std::size_t size =
        stream_->writer.write_some(asio::buffer(bytes.data(), bytes.size()), failed);
    if (failed == asio::error::would_block) {
      writing_ = true;
      const auto stream = stream_;
      stream->writer.async_wait(stream->writer.wait_write,
                                [weak = weak_from_this(), stream](boost::system::error_code error) {
                                  const auto self = weak.lock();
                                  if (!self || self->stream_ != stream) return;
                                  self->writing_ = false;
                                  if (error) return;
                                  self->silence_.broken(Clock::now());
                                  self->flush();
                                });
      return;
    }
    // The peer that closed the stream may have said why: that can still be read.
    if (failed) {
      stop_writing();
      return set_alarm();  // from now on the wait is shorter
    }
    client_.wrote(size);
    take_events();
  }
  if (options_.batch_ms > 0) stop_writing();  // everything is said: the batch may be answered
}

// A runner that keeps little may wait for us to say what we have taken.
void LinkDriver::grant_soon() {
  if (std::exchange(grants_soon_, true)) return;
  grant_.expires_after(kGrantDelay);
  grant_.async_wait([weak = weak_from_this()](boost::system::error_code error) {
    const auto self = weak.lock();
    if (!self) return;
    self->grants_soon_ = false;
    if (error) return;
    self->client_.grant_owed();
    self->flush();
  });
}

// Credit for more is given when what came was taken.
void LinkDriver::took(ExchangeId id, Pending& pending, std::uint64_t next) {
  OutputFlow* const flow = pending.call.flow.get();
  if (!flow || !flow->held()) {
    if (client_.took(id, next)) grant_soon();
    return;
  }
  flow->on_release([weak = weak_from_this(), id, next] {
    const auto self = weak.lock();
    if (!self || !self->pending_.contains(id)) return;
    if (self->client_.took(id, next)) self->grant_soon();
    self->flush();
  });
}

void LinkDriver::take_events() {
  while (auto event = client_.next_event()) {
    if (auto* response = std::get_if<Response>(&*event)) {
      const auto found = pending_.find(response->id);
      if (found == pending_.end()) continue;
      found->second->answer = std::move(response->body);
      found->second->done.set();
      pending_.erase(found);
    } else if (const auto* data = std::get_if<Data>(&*event)) {
      const auto found = pending_.find(data->id);
      if (found == pending_.end()) continue;
      const std::shared_ptr<Pending> pending = found->second;  // the call may end in there
      const bool apart = data->errors && pending->call.on_errors;
      const auto& on_data = apart ? pending->call.on_errors : pending->call.on_data;
      if (on_data) on_data(data->bytes);
      if (pending->call.on_data_at) pending->call.on_data_at(data->offset, data->bytes);
      took(data->id, *pending, data->offset + data->bytes.size());
    } else if (const auto* note = std::get_if<Note>(&*event)) {
      const auto found = pending_.find(note->id);
      if (found == pending_.end()) continue;
      const std::shared_ptr<Pending> pending = found->second;
      if (pending->call.on_note) pending->call.on_note(note->body);
    } else if (const auto* writable = std::get_if<Writable>(&*event)) {
      const auto found = pending_.find(writable->id);
      if (found != pending_.end()) upload_more(writable->id, *found->second, writable->next);
    } else if (std::holds_alternative<Connected>(*event)) {
      greeted_ = true;
      reached_ = true;
      silence_.greeted();
      if (std::exchange(something_waits_, false)) have_batch_give_way();
    } else if (std::holds_alternative<Pong>(*event)) {
      set_alarm();  // it was set for the end of our patience
    } else if (const auto* gone = std::get_if<Disconnected>(&*event)) {
      lost_ = gone->error;
      if (!gone->retry) give_up(gone->error);
    }
  }
}

void LinkDriver::upload_more(ExchangeId id, Pending& pending, std::uint64_t from) {
  const std::string_view all = pending.call.upload;
  if (all.empty()) return;
  const std::uint64_t end = pending.call.upload_from + all.size();
  while (from < end) {
    const std::uint64_t room = std::min(client_.sendable(id, from), end - from);
    if (room == 0) return;
    client_.send_data(id, from,
                      all.substr(static_cast<std::size_t>(from - pending.call.upload_from),
                                 static_cast<std::size_t>(room)));
    from += room;
  }
  client_.end_data(id, end);
}

void LinkDriver::give_up(const Error& error) {
  reached_ = false;
  client_.fail_all(error);
  take_events();
}

}  // namespace talaria::link
