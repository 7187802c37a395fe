// One of the two files that see Beast: its headers take long to compile.
#include "http/websocket.h"

#include "tls/openssl.h"

// Behind what renames the functions of OpenSSL.
#include <variant>

#include <boost/asio/post.hpp>
#include <boost/beast/websocket/ssl.hpp>
#include <boost/beast/websocket/stream.hpp>

#include "base/text.h"
#include "base/time_limit.h"
#include "http/http_message.h"
#include "http/network.h"
#include "http/transport.h"

namespace talaria::http {
namespace {

namespace beast = boost::beast;
namespace websocket = boost::beast::websocket;
using asio::ip::tcp;

constexpr std::size_t kShownBody = 4096;         // of an answer that refuses
constexpr std::size_t kWriteBuffer = 64 * 1024;  // what is masked and written at once

constexpr std::chrono::milliseconds kCloseTime{2000};  // for both sides to close it

// (Without compression: what is carried here is so already, or small.)
using PlainStream = websocket::stream<tcp::socket&, false>;
using TlsStream = websocket::stream<asio::ssl::stream<tcp::socket&>&, false>;

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

void set_times(auto& stream, std::chrono::milliseconds answer, std::chrono::milliseconds silence) {
  stream.set_option(websocket::stream_base::timeout{
      .handshake_timeout = answer, .idle_timeout = silence, .keep_alive_pings = true});
}

void set_options(auto& stream, const WebSocket::Options& options) {
  set_times(stream, options.answer, options.silence);
  stream.set_option(websocket::stream_base::decorator([&options](websocket::request_type& request) {
    request.set(beast::http::field::user_agent, own_agent());
    for (const auto& [name, value] : options.headers) request.set(name, value);
    if (options.protocols.empty()) return;
    request.set(beast::http::field::sec_websocket_protocol, joined(options.protocols));
  }));
  stream.read_message_max(0);
  stream.auto_fragment(false);
  stream.write_buffer_bytes(kWriteBuffer);
}

// For people.
std::string message_of(const boost::system::error_code& error) {
  if (error == beast::error::timeout) return "nothing came any more";
  if (error == asio::error::eof || error == asio::ssl::error::stream_truncated) {
    return "the connection was closed";
  }
  return error.message();
}

WebSocket::Refusal refusal_of(const std::string& host, std::chrono::milliseconds limit,
                              const boost::system::error_code& error,
                              const websocket::response_type& answer) {
  const auto unavailable = [&host](const std::string& what) {
    return Error(ErrorKind::unavailable, host + ": " + what);
  };
  if (error == beast::error::timeout) {
    return {.error = Error(ErrorKind::timed_out,
                           host + ": no answer within " + in_seconds(limit) + " s")};
  }
  if (error != websocket::error::upgrade_declined) return {.error = unavailable(message_of(error))};
  const HttpResponse refusal{.status = answer.result_int(),
                             .reason = {answer.reason().data(), answer.reason().size()}};
  return {.error = unavailable(status_line(refusal)),
          .status = refusal.status,
          .body = answer.body().substr(0, kShownBody),
          .retry_after = std::string(answer[beast::http::field::retry_after])};
}

Task<boost::system::error_code> shake_hands(auto& stream, const Url& url,
                                            websocket::response_type& answer) {
  const auto [error] =
      co_await stream.async_handshake(answer, url.authority(), url.target, as_values);
  co_return error;
}

// Piece by piece: Beast's own limit makes it wait for the peer to close.
Task<boost::system::error_code> read_into(auto& stream, WebSocket::Message& message,
                                          std::size_t most_bytes) {
  auto buffer = asio::dynamic_buffer(message.bytes);
  do {
    const std::size_t room = most_bytes + 1 - message.bytes.size();
    const auto [error, size] = co_await stream.async_read_some(buffer, room, as_values);
    if (error) co_return error;
    if (message.bytes.size() > most_bytes) co_return websocket::error::message_too_big;
  } while (!stream.is_message_done());
  message.is_text = stream.got_text();
  co_return boost::system::error_code();
}

Task<boost::system::error_code> write_from(auto& stream, std::string_view bytes, bool is_text) {
  stream.text(is_text);
  const auto buffer = asio::buffer(bytes.data(), bytes.size());
  const auto [error, size] = co_await stream.async_write(buffer, as_values);
  co_return error;
}

Task<boost::system::error_code> close_by(auto& stream) {
  const auto [error] = co_await stream.async_close(websocket::close_code::normal, as_values);
  co_return error;
}

Task<Result<std::unique_ptr<Transport>>> connect(Url url, TlsTrust& trust) {
  SystemNetwork network;
  auto endpoints = co_await find_endpoints(network, url.host, url.port);
  if (!endpoints) co_return fail(endpoints.error());
  co_return co_await Transport::open(std::move(url), std::move(*endpoints), trust);
}

WebSocket::Refusal refused(ErrorKind kind, std::string why) {
  return {.error = Error(kind, std::move(why))};
}

}  // namespace

struct WebSocket::Streams {
  explicit Streams(std::unique_ptr<Transport> opened) : transport(std::move(opened)) {
    if (transport->tls) {
      stream.emplace<TlsStream>(*transport->tls);
    } else {
      stream.emplace<PlainStream>(transport->socket);
    }
  }

  // What `work` makes of the one that is there.
  template <class Work>
  auto with(Work work) {
    return transport->tls ? work(std::get<TlsStream>(stream)) : work(std::get<PlainStream>(stream));
  }

  std::unique_ptr<Transport> transport;
  std::variant<std::monostate, PlainStream, TlsStream> stream;
};

WebSocket::WebSocket(std::unique_ptr<Streams> streams, std::shared_ptr<TlsTrust> trust,
                     std::string host)
    : trust_(std::move(trust)), streams_(std::move(streams)), host_(std::move(host)) {}

// A ping of Beast's own may still be under way, and TLS must be there until that has ended.
WebSocket::~WebSocket() {
  drop();
  const auto executor = streams_->transport->socket.get_executor();
  asio::post(executor, [streams = std::move(streams_), trust = std::move(trust_)] {});
}

std::unexpected<Error> WebSocket::broken(const std::string& what) const {
  return fail(ErrorKind::unavailable, host_ + ": " + what);
}

Task<std::expected<std::unique_ptr<WebSocket>, WebSocket::Refusal>> WebSocket::open(
    Options options, std::shared_ptr<TlsTrust> trust) {
  for (const auto& [name, value] : options.headers) {
    if (fits_header(name) && fits_header(value)) continue;
    co_return std::unexpected(
        refused(ErrorKind::bad_request, name + ": a character that no header can have"));
  }
  auto transport = co_await within(options.connect, connect(options.url, *trust));
  if (!transport) {
    co_return std::unexpected(
        refused(ErrorKind::timed_out,
                options.url.host + ": no connection within " + in_seconds(options.connect) + " s"));
  }
  if (!*transport) co_return std::unexpected(Refusal{.error = transport->error()});
  auto streams = std::make_unique<Streams>(std::move(**transport));
  websocket::response_type answer;
  const auto error = co_await streams->with([&](auto& stream) {
    set_options(stream, options);
    return shake_hands(stream, options.url, answer);
  });
  if (error) co_return std::unexpected(refusal_of(options.url.host, options.answer, error, answer));
  streams->with([&options](auto& stream) { set_times(stream, kCloseTime, options.silence); });
  std::unique_ptr<WebSocket> made(
      new WebSocket(std::move(streams), std::move(trust), options.url.host));
  const auto protocol = answer[beast::http::field::sec_websocket_protocol];
  made->protocol_.assign(protocol.data(), protocol.size());
  made->most_bytes_ = options.most_bytes;
  co_return made;
}

Task<Result<std::optional<WebSocket::Message>>> WebSocket::read() {
  Message message;
  const auto error = co_await streams_->with(
      [this, &message](auto& stream) { return read_into(stream, message, most_bytes_); });
  if (!error) co_return std::move(message);
  if (error == websocket::error::message_too_big) {
    drop();
    co_return broken("a message of more than " + std::to_string(most_bytes_) + " bytes");
  }
  // However the connection ended after that.
  const websocket::close_reason why = streams_->with([](auto& stream) { return stream.reason(); });
  if (error != websocket::error::closed && !why) co_return broken(message_of(error));
  closing_ = {.code = why.code, .reason = {why.reason.data(), why.reason.size()}};
  co_return std::nullopt;
}

Task<Result<void>> WebSocket::send(std::string_view bytes, bool is_text) {
  const auto error = co_await streams_->with(
      [bytes, is_text](auto& stream) { return write_from(stream, bytes, is_text); });
  if (error) co_return broken(message_of(error));
  co_return Result<void>();
}

Task<void> WebSocket::close() {
  co_await streams_->with([](auto& stream) { return close_by(stream); });
}

void WebSocket::drop() noexcept {
  boost::system::error_code ignored;
  streams_->transport->socket.close(ignored);
}

Result<Url> parse_websocket_url(std::string_view text) {
  const bool is_own = text.starts_with("ws:") || text.starts_with("wss:");
  return parse_url(is_own ? "http" + std::string(text.substr(2)) : std::string(text));
}

}  // namespace talaria::http
