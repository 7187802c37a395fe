// The WebSocket end of a connection of HttpServer (RFC 6455), by Boost.Beast.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/make_printable.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/websocket/ssl.hpp>
#include <boost/beast/websocket/stream.hpp>

#include "base/limits.h"
#include "base/task.h"
#include "front/gateway/http/served_message.h"

namespace talaria::front::gateway {

// Whether a request asks for one.
inline bool asks_for_websocket(const ServedRequest& request) {
  return request.method == "GET" && request.headers.contains("sec-websocket-key");
}

template <class Stream>
class WebSocket final : public ServedSocket {
 public:
  // `stream` outlives it.
  explicit WebSocket(Stream& stream) : socket_(stream) {
    namespace websocket = boost::beast::websocket;
    websocket::stream_base::timeout times{.handshake_timeout = std::chrono::seconds(10),
                                          .idle_timeout = std::chrono::seconds(60),
                                          .keep_alive_pings = true};
    socket_.set_option(times);
    socket_.read_message_max(kMaxLineBytes);
    socket_.auto_fragment(false);
    socket_.text(true);
  }

  // False: it is not a valid request for one; the client got an answer.
  Task<bool> accept(const ServedRequest& request, std::string subprotocol) {
    namespace http = boost::beast::http;
    http::request<http::empty_body> head(http::verb::get, request.path, 11);
    for (const auto& [name, value] : request.headers) head.set(name, value);
    socket_.set_option(boost::beast::websocket::stream_base::decorator(
        [subprotocol](boost::beast::websocket::response_type& response) {
          response.set(http::field::server, "talaria");
          if (!subprotocol.empty()) {
            response.set(http::field::sec_websocket_protocol, subprotocol);
          }
        }));
    const auto [error] = co_await socket_.async_accept(head, as_values);
    co_return !error;
  }

  Task<std::optional<std::string>> read() override {
    std::string text;
    auto buffer = boost::asio::dynamic_buffer(text);
    const auto [error, size] = co_await socket_.async_read(buffer, as_values);
    if (error || !socket_.got_text()) co_return std::nullopt;
    co_return text;
  }

  Task<bool> write(std::string message) override {
    const auto [error, size] =
        co_await socket_.async_write(boost::asio::buffer(message), as_values);
    co_return !error;
  }

  void close() override { boost::beast::get_lowest_layer(socket_).close(); }

 private:
  boost::beast::websocket::stream<Stream&> socket_;
};

}  // namespace talaria::front::gateway
