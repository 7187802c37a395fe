#include "runner/runner_link.h"

#include <sys/socket.h>

#include <array>
#include <vector>

#include "runner/limits.h"

namespace talaria {
namespace {

// Commands this long are worth not sending twice: their start is confirmed before they end.
constexpr std::size_t kLongCommand = 4096;

// A caller that waits for a command and streams its output slows it down rather than miss a byte.
bool is_lossless(Method method, bool streams) {
  return streams && (method == Method::start || method == Method::wait);
}

}  // namespace

RunnerLink::RunnerLink(Supervisor& supervisor, Socket socket, ConnectionKey key,
                       std::function<void(ConnectionKey)> close_other)
    : supervisor_(supervisor),
      socket_(std::move(socket)),
      key_(key),
      close_other_(std::move(close_other)),
      connection_(Connection::to_client()),
      patience_(supervisor.loop(), kHelloPatience) {}

RunnerLink::~RunnerLink() {
  for (auto& [id, entry] : open_) {
    if (!entry.run) continue;
    entry.run->remove_watcher(*this);
    if (is_lossless(entry.method, entry.streams)) entry.run->keep_for_reader(entry.taken);
    supervisor_.watch_changed(*entry.run);
  }
  if (!link_) return;
  supervisor_.registry().disconnected(*link_, key_);
  supervisor_.links_changed();
}

Task<void> RunnerLink::serve() {
  const auto self = shared_from_this();
  socket_.native_non_blocking(true);
  patience_.async_wait([weak = weak_from_this()](boost::system::error_code error) {
    const auto alive = weak.lock();
    if (alive && !error) alive->close(CloseReason::protocol, "no HELLO came");
  });
  std::vector<char> buffer(64 * kKiB);
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

void RunnerLink::close(CloseReason reason, const std::string& message) {
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
    if (const auto* hello = std::get_if<ClientHello>(&*event)) on_hello(*hello);
    if (auto* request = std::get_if<Request>(&*event)) on_request(std::move(*request));
    if (const auto* data = std::get_if<Data>(&*event)) on_data(*data);
    if (const auto* end = std::get_if<DataEnd>(&*event)) on_data_end(*end);
    if (const auto* writable = std::get_if<Writable>(&*event)) on_writable(*writable);
    if (const auto* cancelled = std::get_if<Cancelled>(&*event)) forget(cancelled->id);
  }
  in_events_ = false;
}

void RunnerLink::on_hello(const ClientHello& hello) {
  const Admission admission = supervisor_.registry().admit(hello, key_);
  RunnerHello answer = supervisor_.hello();
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
  supervisor_.links_changed();
  connection_.accept(answer);
}

void RunnerLink::on_request(Request request) {
  Result<void> begun;
  switch (request.method) {
    case Method::start:
      begun = begin_start(request.id, request.body);
      break;
    case Method::wait:
      begun = begin_wait(request.id, request.body);
      break;
    case Method::kill:
      begun = begin_kill(request.id, request.body);
      break;
    case Method::read:
      begun = begin_read(request.id, request.body);
      break;
    case Method::write:
      begun = begin_write(request.id, request.body);
      break;
    default:
      begun = answer_now(request.id, request.method, request.body);
  }
  if (!begun) answer(request.id, fail(begun.error()));
}

Result<void> RunnerLink::begin_start(ExchangeId id, std::string_view body) {
  auto start = decode<Start>(body);
  if (!start) return fail(start.error());
  Open entry{.method = Method::start,
             .cursor = start->output_from,
             .streams = start->stream_output,
             .head_limit = start->head_limit,
             .tail_limit = start->tail_limit};
  const bool detached = start->detached;
  // Whoever gives input waits for this: a Write could overtake a long Start.
  const bool confirm = detached || entry.streams || start->stdin_mode == StdinMode::stream ||
                       start->command.size() > kLongCommand;
  auto started = supervisor_.start(*link_, std::move(*start));
  if (!started) return fail(started.error());

  Run& run = *started->run;
  const Started note{.process = run.spec().process,
                     .pid = static_cast<std::uint64_t>(std::max(run.pid(), 0)),
                     .known = started->known};
  if (detached) {
    answer(id, encode(note));
    return {};
  }
  if (confirm) {
    connection_.note(id, encode(note));
    said_something_ = true;
  }
  entry.run = std::move(started->run);
  open(id, std::move(entry));
  return {};
}

Result<void> RunnerLink::begin_wait(ExchangeId id, std::string_view body) {
  const auto wait = decode<Wait>(body);
  if (!wait) return fail(wait.error());
  auto run = supervisor_.find(wait->process);
  if (!run) return fail(run.error());
  open(id, {.method = Method::wait,
            .run = std::move(*run),
            .cursor = wait->output_from,
            .streams = wait->stream_output,
            .head_limit = wait->head_limit,
            .tail_limit = wait->tail_limit});
  return {};
}

Result<void> RunnerLink::begin_kill(ExchangeId id, std::string_view body) {
  const auto kill = decode<Kill>(body);
  if (!kill) return fail(kill.error());
  auto run = supervisor_.find(kill->process);
  if (!run) return fail(run.error());
  if ((*run)->tree_empty()) {
    answer(id, encode(KillReport{.already_ended = true}));
    return {};
  }
  if (kill->signal != 0) {
    (*run)->signal(static_cast<int>(kill->signal));
    answer(id, encode(KillReport{}));
    return {};
  }
  const auto grace =
      kill->grace_ms == 0 ? kDefaultGrace : std::chrono::milliseconds(kill->grace_ms);
  (*run)->kill(kill->reason == KillReason::timeout ? Ended::timed_out : Ended::killed, grace);
  open(id, {.method = Method::kill, .run = std::move(*run)});
  return {};
}

Result<void> RunnerLink::begin_read(ExchangeId id, std::string_view body) {
  const auto read = decode<Read>(body);
  if (!read) return fail(read.error());
  auto run = supervisor_.find(read->process);
  if (!run) return fail(run.error());
  open(id, {.method = Method::read,
            .run = std::move(*run),
            .cursor = read->from,
            .streams = true,
            .follow = read->follow,
            .until = read->max == 0 ? UINT64_MAX : read->from + read->max});
  return {};
}

Result<void> RunnerLink::begin_write(ExchangeId id, std::string_view body) {
  const auto write = decode<Write>(body);
  if (!write) return fail(write.error());
  auto run = supervisor_.find(write->process);
  if (!run) return fail(run.error());
  InputQueue& input = (*run)->input();
  if (const auto taken = input.take(write->from, write->data); !taken) return taken;
  const std::uint64_t end = write->from + write->data.size();
  Open entry{.method = Method::write, .run = std::move(*run), .cursor = end};
  entry.ends_input = write->end;
  if (!write->stream) {
    entry.input_end = end;
    if (write->end) input.close_behind(end);
  }
  open(id, std::move(entry));
  return {};
}

Result<void> RunnerLink::answer_now(ExchangeId id, Method method, std::string_view body) {
  if (method == Method::status) {
    answer(id, encode(supervisor_.status()));
  } else if (method == Method::list) {
    answer(id, encode(supervisor_.list()));
  } else if (method == Method::stop) {
    const auto stop = decode<Stop>(body);
    if (!stop) return fail(stop.error());
    if (const auto stopped = supervisor_.stop(stop->kill); !stopped) return stopped;
    answer(id, std::string());
  } else {
    return fail(ErrorKind::bad_request, method_name(method) + ": this runner does not know it");
  }
  return {};
}

void RunnerLink::on_writable(const Writable& writable) {
  const auto found = open_.find(writable.id);
  if (found == open_.end()) return;
  found->second.taken = std::max(found->second.taken, writable.taken);
  if (found->second.streams) found->second.run->reader_moved();
  progress(writable.id);
}

void RunnerLink::on_data(const Data& data) {
  const auto found = open_.find(data.id);
  if (found == open_.end() || found->second.method != Method::write) return;
  InputQueue& input = found->second.run->input();
  if (const auto taken = input.take(data.offset, data.bytes); !taken) {
    answer(data.id, fail(taken.error()));
    return;
  }
  progress(data.id);
}

void RunnerLink::on_data_end(const DataEnd& end) {
  const auto found = open_.find(end.id);
  if (found == open_.end() || found->second.method != Method::write) return;
  found->second.input_end = end.offset;
  if (found->second.ends_input) found->second.run->input().close_behind(end.offset);
  progress(end.id);
}

void RunnerLink::open(ExchangeId id, Open entry) {
  entry.taken = entry.cursor;
  const std::shared_ptr<Run> run = entry.run;
  open_.insert_or_assign(id, std::move(entry));
  run->add_watcher(*this);
  supervisor_.watch_changed(*run);
  progress(id);
}

void RunnerLink::progress(ExchangeId id) {
  const auto found = open_.find(id);
  if (found == open_.end()) return;
  Open& entry = found->second;
  Run& run = *entry.run;
  if (entry.streams) send_output(id, entry);
  const bool all_sent =
      !entry.streams || entry.beyond_credit || entry.cursor >= run.output().total();
  switch (entry.method) {
    case Method::start:
    case Method::wait:
      if (run.finished() && all_sent) answer_end(id, entry);
      break;
    case Method::kill:
      if (!run.kill_pending()) answer(id, encode(KillReport{.survivors = run.survivors()}));
      break;
    case Method::read: {
      const bool ended = run.output_closed() || (run.finished() && run.tree_empty());
      if (entry.cursor >= entry.until || entry.beyond_credit ||
          (all_sent && (!entry.follow || ended))) {
        answer(id, encode(ReadReport{.next = entry.cursor,
                                     .total = run.output().total(),
                                     .eof = ended && all_sent && !entry.beyond_credit,
                                     .lost = entry.lost}));
      }
      break;
    }
    case Method::write: {
      const InputQueue& input = run.input();
      if (input.closed() || (entry.input_end && input.written() >= *entry.input_end)) {
        answer(id, encode(WriteReport{.next = input.next(), .closed = input.closed()}));
      } else {
        connection_.grant(id, input.next(), input.limit());
      }
      break;
    }
    default:
      break;
  }
}

void RunnerLink::answer_end(ExchangeId id, const Open& entry) {
  if (const auto& failure = entry.run->start_failure()) {
    answer(id, fail(*failure));
    return;
  }
  answer(id, encode(entry.run->report(entry.head_limit, entry.tail_limit)));
}

void RunnerLink::send_output(ExchangeId id, Open& entry) {
  while (entry.cursor < entry.until && !entry.beyond_credit) {
    const std::uint64_t room =
        std::min(connection_.sendable(id, entry.cursor), entry.until - entry.cursor);
    if (room == 0) break;
    const OutputLog::Piece piece =
        entry.run->output().read(entry.cursor, std::min<std::uint64_t>(room, kMaxFrameData));
    if (piece.bytes.empty()) break;
    if (piece.from != entry.cursor) {  // a gap: the room is counted from where it ends
      entry.lost += piece.from - entry.cursor;
      entry.cursor = piece.from;
      entry.beyond_credit = connection_.sendable(id, entry.cursor) == 0;
      if (entry.beyond_credit) break;
      continue;
    }
    connection_.send_data(id, piece.from, piece.bytes);
    said_something_ = true;
    entry.cursor += piece.bytes.size();
  }
}

void RunnerLink::answer(ExchangeId id, const Result<std::string>& body) {
  connection_.respond(id, body);
  said_something_ = true;
  forget(id);
}

void RunnerLink::forget(ExchangeId id) {
  const auto found = open_.find(id);
  if (found == open_.end()) return;
  const std::shared_ptr<Run> run = std::move(found->second.run);
  open_.erase(found);
  for (const auto& [other, entry] : open_) {
    if (entry.run == run) return;
  }
  run->remove_watcher(*this);
  supervisor_.watch_changed(*run);
}

void RunnerLink::progress_all(const Run& run) {
  std::vector<ExchangeId> ids;
  for (const auto& [id, entry] : open_) {
    if (entry.run.get() == &run) ids.push_back(id);
  }
  for (const ExchangeId id : ids) progress(id);
  if (!in_events_) flush();
}

void RunnerLink::output_grew(Run& run) {
  for (const auto& [id, entry] : open_) {
    if (entry.run.get() == &run && entry.streams) return progress_all(run);
  }
}

void RunnerLink::run_finished(Run& run) {
  const std::string session = run.spec().session;
  progress_all(run);
  supervisor_.refill_soon(session);
}

void RunnerLink::input_moved(Run& run) { progress_all(run); }

std::optional<std::uint64_t> RunnerLink::lossless_cursor(const Run& run) const {
  std::optional<std::uint64_t> least;
  for (const auto& [id, entry] : open_) {
    if (entry.run.get() != &run || !is_lossless(entry.method, entry.streams)) continue;
    least = std::min(least.value_or(UINT64_MAX), entry.taken);
  }
  return least;
}

void RunnerLink::flush() {
  if (writing_ || !socket_.is_open()) return;
  for (;;) {
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

// A batch is over when its client has said everything and there is something to bring back, or
// nothing that could still come.
void RunnerLink::end_batch_if_said() {
  if (batch_ms_ == 0 || !peer_finished_ || writing_) return;
  if (!said_something_ && connection_.open_exchanges() > 0) return;
  boost::system::error_code ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
  socket_.close(ignored);
  patience_.cancel();
}

}  // namespace talaria
