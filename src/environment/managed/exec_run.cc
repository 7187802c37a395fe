#include "environment/managed/exec_run.h"

#include <array>
#include <utility>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/json/object.hpp>

#include "base/base64.h"
#include "base/event.h"
#include "base/text.h"
#include "environment/managed/gateway_error.h"
#include "http/event_stream.h"
#include "json/fields.h"
#include "json/json_text.h"
#include "os/file.h"
#include "os/random.h"

namespace talaria::environment::managed {
namespace {

using std::chrono::milliseconds;

constexpr auto kRunTime = milliseconds(600'000);
constexpr auto kWriteTime = milliseconds(30'000);  // for the gateway to take a piece of input
constexpr auto kAgainPause = milliseconds(200);    // before a stream that broke is opened again
constexpr int kMostFailures = 25;                  // of it, one after the other
constexpr auto kRefusedPause = milliseconds(20);   // before refused input is sent again
constexpr int kMostRefusedPieces = 500;
constexpr std::size_t kInputPiece = 128 * 1024;

// Between the two ends of a CarrierRun and the gateway. It lives as long as it has something to do.
class ExecPipe : public std::enable_shared_from_this<ExecPipe> {
 public:
  ExecPipe(const asio::any_io_executor& executor, std::shared_ptr<ManagedSandbox> sandbox,
           os::UniqueFd from_us, os::UniqueFd to_us)
      : sandbox_(std::move(sandbox)),
        in_(executor, from_us.release()),
        out_(executor, to_us.release()) {}

  const std::string& complaint() const { return complaint_; }

  Task<void> carry(std::string script) {
    using asio::experimental::awaitable_operators::operator&&;
    using asio::experimental::awaitable_operators::operator||;
    const auto self = shared_from_this();
    if (co_await start(std::move(script))) {
      co_await (take_input() && (take_output() || stop_.wait()) && give_output());
    }
    close();
  }

 private:
  Task<bool> start(std::string script) {
    const GatewayExec exec{
        .id = id_, .command = std::move(script), .timeout = kRunTime, .more = {{"stdin", true}}};
    const std::string first = sandbox_->facts().id;
    ExecReply reply = co_await sandbox_->client()->start(first, exec, milliseconds(0));
    if (reply.no_sandbox) {
      const auto replaced = co_await sandbox_->replace(first);
      if (!replaced) complaint_ = replaced.error().message();
      if (!replaced) co_return false;
      reply = co_await sandbox_->client()->start(sandbox_->facts().id, exec, milliseconds(0));
    }
    sandbox_id_ = sandbox_->facts().id;
    const bool runs = reply.kind == ExecReply::Kind::running;
    // One that has ended already may still have said something.
    if (runs || reply.kind == ExecReply::Kind::ended) co_return true;
    complaint_ = reply.message;
    co_return false;
  }

  std::string route(std::string_view end) const { return "execs/" + id_ + "/" + std::string(end); }

  // Until our end is closed, or the gateway takes no more.
  Task<void> take_input() {
    std::string chunk(kInputPiece, '\0');
    while (!over_) {
      const auto [error, size] = co_await in_.async_read_some(asio::buffer(chunk), as_values);
      if (error == asio::error::operation_aborted) co_return;
      const bool end = static_cast<bool>(error);
      json::object body{{"dataBase64", base64(std::string_view(chunk).substr(0, size))}};
      if (end) body["end"] = true;
      co_await send(to_line(body));
      if (end) co_return;
    }
  }

  // A gateway that refuses it (409) may not have started the exec yet; if that has ended, its
  // output says so.
  Task<void> send(std::string body) {
    constexpr unsigned kConflict = 409;
    asio::steady_timer pause(co_await asio::this_coro::executor);
    for (int refusals = 0; !over_; ++refusals) {
      const http::HttpChannel::Options options{.connect = kWriteTime, .answer = kWriteTime};
      const auto answer =
          co_await sandbox_->client()->ask("POST", sandbox_id_, route("stdin"), body, options);
      if (!answer) co_return give_up(answer.error().message());
      if (answer->status < 400) co_return;
      if (answer->status != kConflict || refusals >= kMostRefusedPieces) {
        co_return give_up(
            gateway_error("the gateway takes no input", answer->status, answer->body));
      }
      pause.expires_after(kRefusedPause);
      co_await pause.async_wait(as_values);
    }
  }

  // Whatever happens to the connection: it is opened again where it broke.
  Task<void> take_output() {
    int failures = 0;
    asio::steady_timer pause(co_await asio::this_coro::executor);
    while (!over_) {
      const std::uint64_t before = next_;
      http::EventStream events;
      const auto on_body = [this, &events](std::string_view bytes) {
        for (const http::ServerEvent& event : events.feed(bytes)) take(event);
      };
      const http::HttpChannel::Options options{.answer = milliseconds(0), .on_body = on_body};
      const std::string where = route("output?encoding=base64&from=" + std::to_string(next_));
      const auto answer = co_await sandbox_->client()->ask("GET", sandbox_id_, where, "", options);
      if (over_) break;
      failures = next_ > before ? 0 : failures + 1;
      if (answer && answer->status >= 400) {
        give_up(gateway_error("the gateway gives no output", answer->status, answer->body));
      } else if (failures > kMostFailures) {
        give_up(answer ? "the gateway's events end too early" : answer.error().message());
      } else {
        pause.expires_after(kAgainPause);
        co_await pause.async_wait(as_values);
      }
    }
  }

  void take(const http::ServerEvent& event) {
    const ParsedJson parsed = parse_json(event.data);
    if (over_ || !parsed.value || !parsed.value->is_object()) return;
    const json::object& said = parsed.value->get_object();
    if (event.name == "output") {
      const std::string packed = text_field(said, "dataBase64");
      waiting_ += packed.empty() ? text_field(said, "data") : base64_decode(packed).value_or("");
      boost::system::error_code no_number;
      if (const json::value* const next = said.if_contains("next")) {
        next_ = next->to_number<std::uint64_t>(no_number);
      }
      more_.notify_all();
    } else if (event.name == "gap") {
      give_up("the gateway no longer has all of the output");
    } else if (event.name == "end") {
      give_up(text_field(said, "reason"));
    }
  }

  // What came, until all of it is there that will come.
  Task<void> give_output() {
    for (;;) {
      while (waiting_.empty() && !over_) co_await more_.wait();
      if (waiting_.empty()) break;
      const std::string bytes = std::exchange(waiting_, {});
      const auto [error, size] = co_await asio::async_write(out_, asio::buffer(bytes), as_values);
      if (!error) continue;
      give_up("");
      break;
    }
    boost::system::error_code ignored;
    out_.close(ignored);
  }

  // No more output comes, and no more input is sent.
  void give_up(std::string why) {
    if (std::exchange(over_, true)) return;
    complaint_ = std::move(why);
    more_.notify_all();
    stop_.set();
    boost::system::error_code ignored;
    in_.cancel(ignored);
  }

  void close() {
    boost::system::error_code ignored;
    in_.close(ignored);
    out_.close(ignored);
  }

  std::shared_ptr<ManagedSandbox> sandbox_;
  std::string sandbox_id_;
  std::string id_ = os::random_uuid();
  asio::posix::stream_descriptor in_;
  asio::posix::stream_descriptor out_;
  AsyncEvent more_;         // there is more, or it is over
  AsyncEvent stop_;         // it is over
  std::string waiting_;     // to be written to out_
  std::uint64_t next_ = 0;  // the byte of the output that comes next
  std::string complaint_;
  bool over_ = false;
};

}  // namespace

bool can_carry(const GatewaySandbox& sandbox) {
  return sandbox.can("stdin") && sandbox.can("stream");
}

carrier::StartCarrier carrier_by_execs(asio::any_io_executor executor,
                                       std::shared_ptr<ManagedSandbox> sandbox) {
  return [executor = std::move(executor), sandbox = std::move(sandbox)](
             const std::string& script) -> Result<std::shared_ptr<carrier::CarrierRun>> {
    auto there = os::make_pipe();
    if (!there) return fail(there.error());
    auto back = os::make_pipe();
    if (!back) return fail(back.error());
    for (const os::UniqueFd* fd : {&there->reader, &there->writer, &back->reader, &back->writer}) {
      os::set_nonblocking(fd->get());
    }
    const auto pipe = std::make_shared<ExecPipe>(executor, sandbox, std::move(there->reader),
                                                 std::move(back->writer));
    spawn(executor, pipe->carry(script));
    return std::make_shared<carrier::CarrierRun>(
        nullptr, [pipe] { return pipe->complaint(); },
        asio::posix::stream_descriptor(executor, there->writer.release()),
        asio::posix::stream_descriptor(executor, back->reader.release()));
  };
}

}  // namespace talaria::environment::managed
