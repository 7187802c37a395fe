#include "front/gateway/output_stream.h"

#include <memory>
#include <utility>

#include <boost/json/object.hpp>

#include "base/base64.h"
#include "base/event.h"
#include "base/text.h"
#include "front/gateway/gateway_json.h"
#include "front/gateway/limits.h"
#include "json/json_text.h"

namespace talaria::front::gateway {
namespace {

// Between reading output and writing events.
struct Flow {
  std::string unsent;
  std::uint64_t next = 0;  // after the last byte received
  bool over = false;       // the output has ended
  AsyncEvent changed;
  Cancel cancel;
};

// Output that the runner no longer has is in the store, except for parts that were truncated.
Task<void> add_stored(Gateway& gateway, StreamedExec exec, Flow& flow, EventPieces& pieces) {
  const auto stored = co_await gateway.sandboxes().exec(exec.owner, exec.sandbox, exec.id,
                                                        std::chrono::milliseconds(0));
  if (!stored || !has_ended(stored->state) || stored->output_bytes <= flow.next) co_return;
  const bool whole = !stored->truncated && stored->output.size() == stored->output_bytes;
  flow.unsent += whole ? pieces.feed(flow.next, std::string_view(stored->output).substr(flow.next))
                       : pieces.feed(stored->output_bytes, "");
  flow.next = stored->output_bytes;
}

// One piece at a time, so that a client that does not read bounds our memory.
Task<void> read_output(Gateway& gateway, StreamedExec exec, std::shared_ptr<Flow> flow) {
  EventPieces pieces(exec.from, exec.bytes);
  flow->next = exec.from;
  for (;;) {
    const auto sink = [&](std::uint64_t at, std::string_view bytes) {
      flow->unsent += pieces.feed(at, bytes);
      flow->next = at + bytes.size();
      flow->changed.notify_all();
    };
    const auto read = co_await gateway.sandboxes().follow(exec.owner, exec.sandbox, exec.id,
                                                          {.from = flow->next, .max = kStreamAhead},
                                                          sink, flow->cancel);
    if (!read && read.error().kind() == ErrorKind::not_found && !flow->cancel.cancelled()) {
      co_await add_stored(gateway, exec, *flow, pieces);
    }
    if (!read || read->eof || flow->cancel.cancelled()) break;
    while (!flow->unsent.empty() && !flow->cancel.cancelled()) co_await flow->changed.wait();
  }
  flow->unsent += pieces.finish();
  flow->over = true;
  flow->changed.notify_all();
}

}  // namespace

std::string EventPieces::event(std::string_view bytes) {
  json::object data{{"from", next_}, {"next", next_ + bytes.size()}};
  if (!bytes_ && is_valid_utf8(bytes)) {
    data["data"] = bytes;
  } else {
    data["dataBase64"] = base64(bytes);
  }
  next_ += bytes.size();
  return "id: " + std::to_string(next_) + "\nevent: output\ndata: " + to_line(data) + "\n\n";
}

std::string EventPieces::feed(std::uint64_t at, std::string_view bytes) {
  std::string events;
  if (at > next_ + pending_.size()) {
    events = finish();
    const json::object data{{"from", next_}, {"next", at}};
    events += "id: " + std::to_string(at) + "\nevent: gap\ndata: " + to_line(data) + "\n\n";
    next_ = at;
  }
  pending_ += bytes;
  std::string_view rest = pending_;
  while (!rest.empty()) {
    const std::string_view most = rest.substr(0, kStreamPiece);
    const std::string_view piece = bytes_ ? most : without_cut_end(most);
    if (piece.empty()) break;
    events += event(piece);
    rest.remove_prefix(piece.size());
  }
  pending_ = std::string(rest);
  return events;
}

std::string EventPieces::finish() {
  if (pending_.empty()) return "";
  return event(std::exchange(pending_, {}));
}

Task<void> stream_output(Gateway& gateway, StreamedExec exec, ServedSink sink) {
  const auto executor = co_await asio::this_coro::executor;
  const auto flow = std::make_shared<Flow>();
  gateway.waiting().insert(&flow->changed);
  exec.gone.on_cancel([flow] { flow->changed.notify_all(); });
  spawn(executor, read_output(gateway, exec, flow));
  bool taken = co_await sink(": talaria\n\n");
  while (taken && !(flow->over && flow->unsent.empty()) && !gateway.stopping()) {
    if (flow->unsent.empty()) {
      // A client that closed its side may still read; only writing shows whether it does.
      const auto pause = exec.gone.cancelled() ? kStreamDoubt : kStreamPause;
      const bool notified = co_await flow->changed.wait_for(pause);
      if (!notified && flow->unsent.empty()) taken = co_await sink(": still here\n\n");
      continue;
    }
    std::string piece = std::exchange(flow->unsent, {});
    taken = co_await sink(std::move(piece));
    flow->changed.notify_all();
  }
  exec.gone.on_cancel({});
  gateway.waiting().erase(&flow->changed);
  flow->cancel.cancel();
  flow->changed.notify_all();
  if (!taken || gateway.stopping()) co_return;
  const auto ended =
      co_await gateway.sandboxes().exec(exec.owner, exec.sandbox, exec.id, kLongestWait);
  // Without a known end the client has to connect again.
  if (!ended || !has_ended(ended->state)) co_return;
  (void)co_await sink("event: end\ndata: " + to_line(exec_json(*ended, false)) + "\n\n");
}

}  // namespace talaria::front::gateway
