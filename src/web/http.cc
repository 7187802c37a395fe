// The only file that sees Beast and (beside asio_ssl_impl.cc) OpenSSL: their headers take long to
// compile.
#include "web/http.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <talaria/version.h>

#include <array>
#include <optional>
#include <string_view>

#include <boost/asio/connect.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "base/base64.h"
#include "web/content_encoding.h"

namespace talaria {
namespace {

namespace http = boost::beast::http;
using asio::ip::tcp;
using Parser = http::response_parser<http::string_body>;

constexpr std::uint32_t kMaxHeaderBytes = 64u << 10;
constexpr int kMaxInterimAnswers = 8;
constexpr std::size_t kMaxReasonBytes = 80;

std::unexpected<Error> broken(const std::string& host, const std::string& what) {
  return fail(ErrorKind::unavailable, host + ": " + what);
}

// A name or value with a line end would begin a header of its own.
bool is_plain(std::string_view text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < ' ' && c != '\t') || byte == 127) return false;
  }
  return true;
}

Result<std::string> request_text(const HttpRequest& request) {
  const Url& url = request.url;
  std::string text = request.method + " " + url.target + " HTTP/1.1\r\nHost: " + url.authority() +
                     "\r\nConnection: close\r\nAccept-Encoding: gzip, deflate, br\r\n" +
                     "User-Agent: Mozilla/5.0 (compatible; Talaria/" + std::string(kVersion) +
                     ")\r\n";
  if (!url.userinfo.empty()) {
    text += "Authorization: Basic " + base64(percent_decode(url.userinfo)) + "\r\n";
  }
  for (const auto& [name, value] : request.headers) {
    if (!is_plain(name) || !is_plain(value)) {
      return fail(ErrorKind::bad_request, name + ": a character that no header can have");
    }
    text += name + ": " + value + "\r\n";
  }
  if (!request.body.empty()) {
    text += "Content-Length: " + std::to_string(request.body.size()) + "\r\n";
  }
  return text + "\r\n" + request.body;
}

// Answer: the bytes of a connection on their way to a response. No I/O.
class Answer {
 public:
  explicit Answer(std::size_t most_bytes) : most_bytes_(most_bytes) { begin(); }

  // False: enough. An error: it is no answer, or one that is too long.
  Result<bool> take(std::string_view bytes) {
    pending_ += bytes;
    while (!pending_.empty()) {
      boost::system::error_code error;
      const std::size_t taken = parser_->put(asio::buffer(pending_), error);
      pending_.erase(0, taken);
      if (error == http::error::need_more) return may_wait();
      if (error) return fail(ErrorKind::unavailable, explain(error));
      if (!parser_->is_done()) {
        if (taken == 0) return may_wait();
        continue;
      }
      if (http::to_status_class(parser_->get().result_int()) != http::status_class::informational) {
        return false;
      }
      if (++interim_ > kMaxInterimAnswers) return fail(ErrorKind::unavailable, "no final answer");
      begin();
    }
    return true;
  }

  Result<void> finish() {
    if (parser_->is_done()) return {};
    const bool begun = parser_->got_some();  // to Beast an answer of no bytes is one, with 200
    boost::system::error_code error;
    if (begun) parser_->put_eof(error);
    if (!begun || error || !parser_->is_done()) {
      return fail(ErrorKind::unavailable, "the connection was closed before the end");
    }
    return {};
  }

  http::response<http::string_body> release() { return parser_->release(); }

 private:
  void begin() {
    parser_.emplace();
    parser_->header_limit(kMaxHeaderBytes);
    parser_->body_limit(most_bytes_);
    parser_->eager(true);
  }

  // Beast waits for the end of a line however long it is (a chunk's head, a trailer).
  Result<bool> may_wait() const {
    if (pending_.size() <= kMaxHeaderBytes) return true;
    return fail(ErrorKind::unavailable, "no proper answer (a line without an end)");
  }

  std::string explain(const boost::system::error_code& error) const {
    if (error == http::error::body_limit) {
      return "the answer is longer than " + std::to_string(most_bytes_ >> 20) + " MB";
    }
    return "no proper answer (" + error.message() + ")";
  }

  std::size_t most_bytes_;
  std::string pending_;
  std::optional<Parser> parser_;
  int interim_ = 0;
};

// A peer that ends TLS without saying so, as many do: whether all came is the parser's to know.
bool is_end(const boost::system::error_code& error) {
  return error == asio::error::eof || error == asio::ssl::error::stream_truncated;
}

template <class Stream>
Task<Result<http::response<http::string_body>>> converse(Stream& stream, std::string text,
                                                         std::size_t most_bytes) {
  const auto [unsent, sent] = co_await asio::async_write(stream, asio::buffer(text), as_values);
  if (unsent) co_return fail(ErrorKind::unavailable, unsent.message());
  Answer answer(most_bytes);
  std::array<char, 16384> chunk;
  for (;;) {
    const auto [error, size] = co_await stream.async_read_some(asio::buffer(chunk), as_values);
    const Result<bool> more = answer.take({chunk.data(), size});
    if (!more) co_return fail(more.error());
    if (!*more) break;
    if (is_end(error)) {
      if (const auto whole = answer.finish(); !whole) co_return fail(whole.error());
      break;
    }
    if (error) co_return fail(ErrorKind::unavailable, error.message());
  }
  co_return answer.release();
}

std::string value_of(const http::response<http::string_body>& response, http::field name) {
  const auto value = response[name];
  return {value.data(), value.size()};
}

// Where distributions keep the authorities; OpenSSL itself knows only those of its builder's.
constexpr auto kAuthorities = std::to_array<const char*>({
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
});

}  // namespace

struct HttpClient::Tls {
  asio::ssl::context context{asio::ssl::context::tls_client};
};

HttpClient::HttpClient(Network& network, HttpLimits limits, std::string ca_file)
    : network_(network), limits_(limits), ca_file_(std::move(ca_file)) {}

HttpClient::~HttpClient() = default;

Result<HttpClient::Tls*> HttpClient::tls() {
  if (tls_) return tls_.get();
  auto made = std::make_unique<Tls>();
  SSL_CTX* const handle = made->context.native_handle();
  SSL_CTX_set_min_proto_version(handle, TLS1_2_VERSION);
  made->context.set_verify_mode(asio::ssl::verify_peer);
  SSL_CTX_set_default_verify_paths(handle);
  for (const char* file : kAuthorities) {
    if (SSL_CTX_load_verify_locations(handle, file, nullptr) == 1) break;
  }
  if (!ca_file_.empty() && SSL_CTX_load_verify_locations(handle, ca_file_.c_str(), nullptr) != 1) {
    return fail(ErrorKind::system, ca_file_ + " has no certificates");
  }
  ERR_clear_error();  // of the files that are not there
  tls_ = std::move(made);
  return tls_.get();
}

Task<Result<HttpResponse>> HttpClient::exchange_over(tcp::socket& socket, HttpRequest request) {
  Result<std::string> text = request_text(request);
  if (!text) co_return fail(text.error());
  const std::string host = request.url.host;

  Result<http::response<http::string_body>> response;
  if (request.url.secure()) {
    const Result<Tls*> trust = tls();
    if (!trust) co_return fail(trust.error());
    asio::ssl::stream<tcp::socket&> stream(socket, (*trust)->context);
    boost::system::error_code no_address;
    asio::ip::make_address(host, no_address);
    if (no_address) SSL_set_tlsext_host_name(stream.native_handle(), host.c_str());
    stream.set_verify_callback(asio::ssl::host_name_verification(host));
    const auto [error] = co_await stream.async_handshake(asio::ssl::stream_base::client, as_values);
    if (error) co_return broken(host, "TLS: " + error.message());
    response = co_await converse(stream, std::move(*text), limits_.body_bytes);
  } else {
    response = co_await converse(socket, std::move(*text), limits_.body_bytes);
  }
  if (!response) co_return broken(host, response.error().message());

  Result<std::string> body = decode_content(value_of(*response, http::field::content_encoding),
                                            std::move(response->body()), limits_.decoded_bytes);
  if (!body) co_return broken(host, body.error().message());
  co_return HttpResponse{.status = response->result_int(),
                         .reason = {response->reason().data(), response->reason().size()},
                         .content_type = value_of(*response, http::field::content_type),
                         .location = value_of(*response, http::field::location),
                         .body = std::move(*body)};
}

Task<Result<HttpResponse>> HttpClient::exchange(HttpRequest request, Addresses where) {
  std::vector<tcp::endpoint> endpoints;
  for (const asio::ip::address& address : where) {
    endpoints.push_back(network_.endpoint(address, request.url.port));
  }
  tcp::socket socket(co_await asio::this_coro::executor);
  const auto [error, endpoint] = co_await asio::async_connect(socket, endpoints, as_values);
  if (error) co_return broken(request.url.host, error.message());
  co_return co_await exchange_over(socket, std::move(request));
}

std::string status_line(const HttpResponse& response) {
  std::string line = "HTTP " + std::to_string(response.status);
  if (!response.reason.empty()) line += " " + response.reason.substr(0, kMaxReasonBytes);
  return line;
}

}  // namespace talaria
