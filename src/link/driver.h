// LinkDriver: a LinkClient over real byte streams. It opens a stream when there is something to
// say, moves bytes, opens a new one when a stream breaks, and gives up after a while. To its
// callers a call is one coroutine that ends with the answer.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/cancel.h"
#include "base/output_flow.h"
#include "base/result.h"
#include "base/task.h"
#include "link/client.h"
#include "link/preamble.h"
#include "link/silence.h"

namespace talaria::link {

// An open byte stream to a runner. `keep` lives as long as the stream is used (the process that
// carries it, say).
struct ByteStream {
  asio::posix::stream_descriptor reader;
  asio::posix::stream_descriptor writer;
  std::shared_ptr<void> keep;
  std::string early;  // bytes of the link that were read while the stream was opened
  std::optional<PreambleScanner> preamble;  // set: the link begins behind its line
  // Who is at the other end and how it does, for the person who reads that it failed.
  std::function<std::string()> about;
};

struct LinkDriverOptions {
  LinkClientOptions client;
  // How long unfinished calls wait for a stream that works before they fail, and a stream for the
  // runner's greeting.
  std::chrono::milliseconds patience{10'000};
  // A call waits and nothing comes: after this the runner is asked whether it is there ...
  std::chrono::milliseconds ask_after{15'000};
  // ... and after this the stream is given up. Long, because a runner may be busy.
  std::chrono::milliseconds answer_within{30'000};
  // Not 0: every stream is one batch (docs/reference/link.md). It may bring nothing for so long,
  // and patience.
  std::uint32_t batch_ms = 0;
};

struct LinkCall {
  RequestOptions request;
  std::function<void(std::string_view)> on_data;    // in order, each byte once
  std::function<void(std::string_view)> on_errors;  // if set, gets what is of standard error
  // The same, each piece with the cursor of its first byte: between two there may be a gap.
  std::function<void(std::uint64_t, std::string_view)> on_data_at;
  // If set, may hold up what on_data and the like get.
  std::shared_ptr<OutputFlow> flow;
  std::function<void(std::string_view)> on_note;
  std::string upload;  // sent as the request's own data, then its end
  std::uint64_t upload_from = 0;
  bool another_follows = false;  // it is sent with the next call, which begins at once
};

class LinkDriver : public std::enable_shared_from_this<LinkDriver> {
 public:
  // Opens a stream to the runner, starting one if need be.
  using Connect = std::function<Task<Result<ByteStream>>()>;

  LinkDriver(const asio::any_io_executor& executor, Connect connect, LinkDriverOptions options);

  // A request on its way. A short one may reach the runner before a long one that was begun
  // earlier.
  class Pending;
  Result<std::shared_ptr<Pending>> begin(Method method, std::string body, LinkCall options);
  // A cancelled one is answered `interrupted` at once. At the runner nothing is killed by that.
  Task<Result<std::string>> finish(std::shared_ptr<Pending> pending, CancelToken cancel = {});

  template <class Message>
  Result<std::shared_ptr<Pending>> begin(const Message& message, LinkCall options = {}) {
    return begin(Message::kMethod, encode(message), std::move(options));
  }

  template <class Message>
  Task<Result<std::string>> call(Message message, LinkCall options = {}, CancelToken cancel = {}) {
    auto pending = begin(message, std::move(options));
    if (!pending) co_return fail(pending.error());
    co_return co_await finish(std::move(*pending), std::move(cancel));
  }

  std::uint64_t next_start_sequence() { return client_.next_start_sequence(); }

  // Drops the stream; the next call opens another.
  void disconnect();

  // There is a stream, and nobody has closed its other end.
  bool connected() const;

  // A runner has answered, and it was not given up since.
  bool reached() const { return reached_; }

  // Of the runner that answered last; empty before.
  const std::string& instance() const { return client_.instance(); }

 private:
  Task<void> run_streams();
  Task<Error> serve_stream(ByteStream opened);
  Task<void> read_stream(std::shared_ptr<ByteStream> stream);
  void receive(ByteStream& stream, std::string_view bytes);
  void took(ExchangeId id, Pending& pending, std::uint64_t next);
  void lose_stream(const std::string& why);
  void have_batch_give_way();
  void stop_writing();
  SilenceLimits silence_limits() const;
  void check_silence();
  void set_alarm();
  void grant_soon();
  void start_or_flush();
  void flush();
  void take_events();
  void upload_more(ExchangeId id, Pending& pending, std::uint64_t from);
  void give_up(const Error& error);
  void give_up(Pending& pending);

  asio::any_io_executor executor_;
  Connect connect_;
  LinkDriverOptions options_;
  LinkClient client_;
  std::shared_ptr<ByteStream> stream_;
  std::map<ExchangeId, std::shared_ptr<Pending>> pending_;
  asio::steady_timer alarm_;  // when to look how long the present stream has been silent
  asio::steady_timer grant_;  // when to grant what is owed
  asio::steady_timer way_;    // when the present batch gives way
  Silence silence_;           // of the present stream
  std::uint64_t pings_ = 0;
  bool alarm_set_ = false;
  bool grants_soon_ = false;
  bool running_ = false;
  bool writing_ = false;
  bool reached_ = false;
  bool something_waits_ = false;  // for the present batch to end
  bool greeted_ = false;          // the runner answered over the present stream
  std::optional<Error> lost_;     // why the present stream cannot be used any more, if known
};

}  // namespace talaria::link
