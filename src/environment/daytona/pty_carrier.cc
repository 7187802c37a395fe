#include "environment/daytona/pty_carrier.h"

#include <talaria/version.h>

#include <memory>
#include <optional>
#include <utility>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/json/object.hpp>

#include "base/event.h"
#include "base/text.h"
#include "base/time_limit.h"
#include "environment/daytona/daytona_policy.h"
#include "environment/daytona/pty_protocol.h"
#include "http/channel.h"
#include "http/websocket.h"
#include "json/fields.h"
#include "json/json_text.h"
#include "os/file.h"
#include "os/random.h"

namespace talaria::environment::daytona {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::string_view kExitControl = "X-Daytona-Pty-Exit-Control";
constexpr int kPipeBytes = 1 << 20;
constexpr std::size_t kInputPiece = 256 * 1024;
constexpr std::size_t kMessage = 32 * 1024;  // bytes of one that is sent, as the SDK would
// The daemon drops a client for which more than 8 MB wait. We take so much more before we let it.
constexpr std::size_t kMostWaiting = 16u << 20;
constexpr std::size_t kMostScript = 100'000;  // an argument may have 128 KiB
constexpr std::size_t kMostNoise = 64 * 1024;
constexpr std::size_t kShownNoise = 500;
constexpr auto kTerminalConnectTime = milliseconds(20'000);
constexpr auto kMarkTime = milliseconds(45'000);      // for the login files, until the line is read
constexpr auto kClosePatience = milliseconds(5'000);  // after the end of the program
constexpr auto kAlivePause = milliseconds(60'000);
constexpr auto kRemoveTime = milliseconds(15'000);
constexpr http::HttpLimits kRemoveLimits{.body_bytes = 1u << 20, .decoded_bytes = 1u << 20};

// How the daemon is reached, shared by the runs.
struct Daemon {
  Daemon(const http::Url& url, const std::string& ca)
      : server(server_of(url)),
        ca_file(ca),
        trust(std::make_shared<http::TlsTrust>(ca)),
        channel(kRemoveLimits, ca) {}

  bool is_for(const http::Url& url, const std::string& ca) const {
    return server == server_of(url) && ca_file == ca;
  }

  static std::string server_of(const http::Url& url) {
    return url.scheme + "://" + url.authority();
  }

  std::string server;
  std::string ca_file;
  std::shared_ptr<http::TlsTrust> trust;
  http::HttpChannel channel;
};

std::string agent() { return "talaria/" + std::string(kVersion); }

std::optional<json::object> object_in(std::string_view text) {
  ParsedJson parsed = parse_json(text);
  if (!parsed.value || !parsed.value->is_object()) return std::nullopt;
  return std::move(parsed.value->get_object());
}

// With the vendor's message, if there is one.
std::string message_of(const http::WebSocket::Refusal& refusal) {
  if (refusal.status == 0) return refusal.error.message();
  std::string message;
  if (const auto said = object_in(refusal.body)) message = text_field(*said, "message");
  if (message.empty()) message = sanitize_utf8(trim(refusal.body));
  return refusal.error.message() + (message.empty() ? "" : ": " + message);
}

// Between the two ends of a CarrierRun and a terminal. It lives as long as it has something to do.
class PtyPipe : public std::enable_shared_from_this<PtyPipe> {
 public:
  PtyPipe(const asio::any_io_executor& executor, std::shared_ptr<Daemon> daemon, http::Url url,
          Secret key, os::UniqueFd from_us, os::UniqueFd to_us)
      : daemon_(std::move(daemon)),
        url_(std::move(url)),
        key_(std::move(key)),
        in_(executor, from_us.release()),
        out_(executor, to_us.release()),
        limit_(executor) {
    in_.non_blocking(true);
  }

  const std::string& complaint() const { return complaint_; }

  Task<void> carry(std::string script) {
    using asio::experimental::awaitable_operators::operator&&;
    const auto self = shared_from_this();
    const PtyProtocol protocol(script, os::random_hex(16));
    if (co_await begin(protocol)) {
      co_await (take_input(protocol.program()) && take_output() && give_output());
    }
    close();
    if (socket_) socket_->drop();
    if (!refused_) co_await remove();
    held_.reset();
  }

  // As long as there is something to do there.
  void hold(std::shared_ptr<void> held) { held_ = std::move(held); }

  // The run was abandoned.
  void hang_up() { give_up(""); }

 private:
  http::Url at(const std::string& end) const {
    http::Url url = url_;
    url.target += "/process/pty/" + end;
    return url;
  }

  std::pair<std::string, std::string> who() const {
    return {"Authorization", "Bearer " + std::string(key_.view())};
  }

  // Where the daemon cannot just now, again after a while; each time another terminal.
  Task<bool> open() {
    for (int number = 1;; ++number) {
      http::WebSocket::Options options{
          .url = at("create-connect?id=" + id_ + "&cols=80&rows=24"),
          .headers = {who(), {"X-Daytona-Source", "talaria"}, {"User-Agent", agent()}},
          .protocols = {std::string(kExitControl)},
          .connect = kTerminalConnectTime,
          .answer = kTerminalConnectTime};
      auto opened = co_await http::WebSocket::open(std::move(options), daemon_->trust);
      if (over_) co_return false;
      if (opened) {
        socket_ = std::move(*opened);
        co_return true;
      }
      const http::WebSocket::Refusal& refusal = opened.error();
      const auto pause = pause_before_repeat({.repeatable = true,
                                              .number = number,
                                              .status = refusal.status,
                                              .retry_after = refusal.retry_after});
      refused_ = refusal.status / 100 == 4;
      if (!pause || refusal.error.kind() == ErrorKind::timed_out) {
        give_up("no terminal: " + message_of(refusal));
        co_return false;
      }
      if (!refused_) co_await remove();
      limit_.expires_after(*pause);
      co_await limit_.async_wait(as_values);
      if (over_) co_return false;
      id_ = os::random_uuid();
    }
  }

  // A terminal that has shown the mark.
  Task<bool> begin(const PtyProtocol& protocol) {
    if (!co_await open()) co_return false;
    start_limit(kMarkTime);
    std::string noise;
    if (const auto typed = co_await socket_->send(protocol.line()); !typed) {
      give_up(typed.error().message());
    }
    while (!over_) {
      if (!co_await read(noise)) {
        give_up(late_ && !ended_
                    ? "the terminal's shell was not ready in " + in_seconds(kMarkTime) + " s"
                    : "the terminal ended before it carried anything");
        const std::string_view shown = trim(noise);
        const auto from = shown.size() - std::min(shown.size(), kShownNoise);
        if (!shown.empty()) complaint_ += "; it shows: " + sanitize_utf8(shown.substr(from));
        break;
      }
      if (const auto at = noise.find(protocol.mark()); at != std::string::npos) {
        waiting_ = noise.substr(at + protocol.mark().size());
        limit_.cancel();
        co_return true;
      }
      if (noise.size() > kMostNoise) noise.erase(0, noise.size() - protocol.mark().size());
    }
    limit_.cancel();
    co_return false;
  }

  void start_limit(milliseconds time) {
    limit_.expires_after(time);
    limit_.async_wait([weak = weak_from_this()](const boost::system::error_code& cancelled) {
      const auto self = weak.lock();
      if (!self || cancelled) return;
      self->late_ = true;
      self->socket_->drop();
    });
  }

  // Appends what the terminal shows next. False: no more will come, and complaint_ may say why.
  Task<bool> read(std::string& shown) {
    auto message = co_await socket_->read();
    if (over_) co_return false;
    if (!message) {
      // A connection that breaks after the end was reported is not an error.
      if (!ended_ && !late_) complaint_ = message.error().message();
      co_return false;
    }
    if (!*message) {
      judge_closing();
      co_return false;
    }
    if (!(*message)->is_text || !take_control((*message)->bytes)) shown += (*message)->bytes;
    co_return true;
  }

  // What the daemon says beside what the terminal shows. Output may follow that it has ended.
  bool take_control(std::string_view text) {
    const auto said = object_in(text);
    if (!said || text_field(*said, "type") != "control") return false;
    const std::string status = text_field(*said, "status");
    if (status == "exited") {
      ended_ = true;
      start_limit(kClosePatience);
    }
    if (status == "error") complaint_ = text_field(*said, "error");
    return true;
  }

  void judge_closing() {
    const http::WebSocket::Closing& closing = socket_->closing();
    const auto said = object_in(closing.reason);
    if (said && said->contains("exitCode")) ended_ = true;
    if (ended_ || closing.code == 1000) return;
    const std::string why = said ? text_field(*said, "error") : closing.reason;
    complaint_ = "the terminal was closed (" + std::to_string(closing.code) + ")" +
                 (why.empty() ? "" : ": " + why);
  }

  // Until our end is closed, or the other side takes no more.
  Task<void> take_input(std::string program) {
    bool open = co_await send(program + std::string(PtyProtocol::alive()));
    Clock::time_point last_sign = Clock::now();
    std::string chunk(kInputPiece, '\0');
    while (open && !over_) {
      const auto ready =
          co_await within(last_sign + kAlivePause, in_.async_wait(in_.wait_read, as_values));
      std::string piece;
      if (Clock::now() >= last_sign + kAlivePause) {
        piece = PtyProtocol::alive();
        last_sign = Clock::now();
      }
      if (ready) {
        boost::system::error_code error;
        const std::size_t size = in_.read_some(asio::buffer(chunk), error);
        if (size > 0) piece += PtyProtocol::piece(std::string_view(chunk).substr(0, size));
        open = !error || error == asio::error::would_block;
        if (!open) piece += PtyProtocol::end();
      }
      if (!over_ && !co_await send(piece)) co_return;
    }
  }

  // The reason is in the output.
  Task<bool> send(std::string_view bytes) {
    while (!bytes.empty()) {
      const std::string_view part = bytes.substr(0, kMessage);
      const auto sent = co_await socket_->send(part);
      if (!sent) co_return false;
      bytes.remove_prefix(part.size());
    }
    co_return true;
  }

  // Whether or not the output is read, up to kMostWaiting.
  Task<void> take_output() {
    for (;;) {
      while (waiting_.size() >= kMostWaiting && !over_) co_await room_.wait();
      if (over_ || !co_await read(waiting_)) break;
      more_.notify_all();
    }
    give_up(complaint_);
  }

  // What came, until all of it is there that will come.
  Task<void> give_output() {
    for (;;) {
      while (waiting_.empty() && !over_) co_await more_.wait();
      if (waiting_.empty()) break;
      const std::string bytes = std::exchange(waiting_, {});
      room_.notify_all();
      const auto [error, size] = co_await asio::async_write(out_, asio::buffer(bytes), as_values);
      if (!error) continue;
      hang_up();
      break;
    }
    boost::system::error_code ignored;
    out_.close(ignored);
  }

  // No more output comes, and no more input is sent.
  void give_up(std::string why) {
    if (std::exchange(over_, true)) return;
    if (complaint_.empty()) complaint_ = std::move(why);
    more_.notify_all();
    room_.notify_all();
    limit_.cancel();
    boost::system::error_code ignored;
    in_.cancel(ignored);
    if (socket_) socket_->drop();
  }

  void close() {
    boost::system::error_code ignored;
    in_.close(ignored);
    out_.close(ignored);
  }

  // With all that runs in it; also one that we may have got without hearing of it.
  Task<void> remove() {
    http::HttpRequest request{
        .method = "DELETE", .url = at(id_), .headers = {who()}, .agent = agent()};
    const http::HttpChannel::Options options{
        .connect = kRemoveTime, .answer = kRemoveTime, .repeatable = true};
    auto answer = co_await daemon_->channel.ask(request, options);
    if (!answer) answer = co_await daemon_->channel.ask(std::move(request), options);
  }

  std::shared_ptr<Daemon> daemon_;
  http::Url url_;
  Secret key_;
  std::string id_ = os::random_uuid();
  asio::posix::stream_descriptor in_;
  asio::posix::stream_descriptor out_;
  AsyncEvent more_;           // there is more, or it is over
  AsyncEvent room_;           // less waits, or it is over
  asio::steady_timer limit_;  // for the terminal to show the mark
  std::unique_ptr<http::WebSocket> socket_;
  std::string waiting_;  // to be written to out_
  std::string complaint_;
  bool refused_ = false;  // there never was a terminal
  bool late_ = false;
  bool ended_ = false;  // the program there
  bool over_ = false;
  std::shared_ptr<void> held_;
};

class PtyCarrier {
 public:
  PtyCarrier(asio::any_io_executor executor, std::function<PtyAccess()> access)
      : executor_(std::move(executor)), access_(std::move(access)) {}

  Result<std::shared_ptr<carrier::CarrierRun>> start(const std::string& script) {
    if (script.size() > kMostScript) {
      return fail(ErrorKind::bad_request, "a script of more than 100,000 bytes");
    }
    PtyAccess access = access_();
    auto url = http::parse_websocket_url(access.toolbox);
    if (!url) return fail(url.error());
    if (!daemon_ || !daemon_->is_for(*url, access.ca_file)) {
      daemon_ = std::make_shared<Daemon>(*url, access.ca_file);
    }
    auto there = os::make_pipe(kPipeBytes);
    if (!there) return fail(there.error());
    auto back = os::make_pipe(kPipeBytes);
    if (!back) return fail(back.error());
    for (const os::UniqueFd* fd : {&there->reader, &there->writer, &back->reader, &back->writer}) {
      os::set_nonblocking(fd->get());
    }
    const auto pipe =
        std::make_shared<PtyPipe>(executor_, daemon_, std::move(*url), std::move(access.key),
                                  std::move(there->reader), std::move(back->writer));
    pipe->hold(std::move(access.held));
    spawn(executor_, pipe->carry(script));
    const std::shared_ptr<void> keep(nullptr, [pipe](void*) { pipe->hang_up(); });
    return std::make_shared<carrier::CarrierRun>(
        keep, [pipe] { return pipe->complaint(); },
        asio::posix::stream_descriptor(executor_, there->writer.release()),
        asio::posix::stream_descriptor(executor_, back->reader.release()));
  }

 private:
  asio::any_io_executor executor_;
  std::function<PtyAccess()> access_;
  std::shared_ptr<Daemon> daemon_;
};

}  // namespace

carrier::StartCarrier carrier_by_pty(asio::any_io_executor executor,
                                     std::function<PtyAccess()> access) {
  const auto carrier = std::make_shared<PtyCarrier>(std::move(executor), std::move(access));
  return [carrier](const std::string& script) { return carrier->start(script); };
}

carrier::CarrierOptions daytona_carrier(const asio::any_io_executor& executor,
                                        std::function<PtyAccess()> access,
                                        std::chrono::seconds lifetime) {
  return {.places = {.name = "run-daytona"},
          .lifetime = lifetime,
          .name = "the sandbox's terminal",
          .start = carrier_by_pty(executor, std::move(access))};
}

}  // namespace talaria::environment::daytona
