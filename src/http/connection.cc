// One of the two files that see Beast (by answer_parser.h): its headers take long to compile.
#include "http/connection.h"

#include <sys/socket.h>

#include <array>
#include <optional>
#include <string>
#include <utility>

#include <boost/asio/write.hpp>

#include "http/answer_parser.h"
#include "http/content_encoding.h"
#include "http/transport.h"

namespace talaria::http {
namespace {

// A peer that ends TLS without saying so, as many do: whether all came is the parser's to know.
bool is_end(const boost::system::error_code& error) {
  return error == asio::error::eof || error == asio::ssl::error::stream_truncated;
}

std::string value_of(const AnswerParser::Message& response, http::field name) {
  const auto value = response[name];
  return {value.data(), value.size()};
}

Result<HttpResponse> decoded(AnswerParser::Message message, std::size_t most_bytes) {
  Result<std::string> body = decode_content(value_of(message, http::field::content_encoding),
                                            std::move(message.body()), most_bytes);
  if (!body) return fail(body.error());
  return HttpResponse{.status = message.result_int(),
                      .reason = {message.reason().data(), message.reason().size()},
                      .content_type = value_of(message, http::field::content_type),
                      .location = value_of(message, http::field::location),
                      .retry_after = value_of(message, http::field::retry_after),
                      .body = std::move(*body)};
}

}  // namespace

HttpConnection::HttpConnection(std::unique_ptr<Transport> transport)
    : transport_(std::move(transport)) {}

HttpConnection::~HttpConnection() = default;

Task<Result<std::unique_ptr<HttpConnection>>> HttpConnection::open(
    Url url, std::vector<asio::ip::tcp::endpoint> endpoints, TlsTrust& trust) {
  auto transport = co_await Transport::open(std::move(url), std::move(endpoints), trust);
  if (!transport) co_return fail(transport.error());
  co_return std::unique_ptr<HttpConnection>(new HttpConnection(std::move(*transport)));
}

template <class Stream>
Task<Result<HttpResponse>> HttpConnection::converse(Stream& stream, std::string text,
                                                    HttpLimits limits, OnBody on_body) {
  const auto [unsent, sent] = co_await asio::async_write(stream, asio::buffer(text), as_values);
  if (unsent) co_return fail(ErrorKind::unavailable, unsent.message());
  AnswerParser answer(on_body ? std::nullopt : std::optional(limits.body_bytes));
  std::array<char, 16384> chunk;
  for (;;) {
    const auto [error, size] = co_await stream.async_read_some(asio::buffer(chunk), as_values);
    const Result<bool> more = answer.take({chunk.data(), size});
    heard_ = answer.heard();
    if (!more) co_return fail(more.error());
    if (on_body && answer.has_header() && answer.message().result_int() / 100 == 2) {
      if (const std::string piece = answer.take_body(); !piece.empty()) on_body(piece);
    }
    if (!*more) break;
    if (is_end(error)) {
      if (const auto whole = answer.finish(); !whole) co_return fail(whole.error());
      break;
    }
    if (error) co_return fail(ErrorKind::unavailable, error.message());
  }
  open_ = answer.may_go_on();
  co_return decoded(answer.release(), limits.decoded_bytes);
}

Task<Result<HttpResponse>> HttpConnection::exchange(HttpRequest request, HttpLimits limits,
                                                    OnBody on_body) {
  open_ = false;
  heard_ = false;
  Result<std::string> text = request_text(request);
  if (!text) co_return fail(text.error());
  Result<HttpResponse> response;
  if (transport_->tls) {
    response = co_await converse(*transport_->tls, std::move(*text), limits, std::move(on_body));
  } else {
    response = co_await converse(transport_->socket, std::move(*text), limits, std::move(on_body));
  }
  if (!response) {
    co_return fail(ErrorKind::unavailable, request.url.host + ": " + response.error().message());
  }
  if (!request.keep) open_ = false;
  co_return response;
}

// What TLS has to say between requests is not for us to read here.
bool HttpConnection::usable() const {
  if (!open_ || transport_->tls) return open_;
  char byte = 0;
  const auto peeked = ::recv(transport_->socket.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return peeked < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

}  // namespace talaria::http
