#include "http/transport.h"

#include <string>
#include <utility>

#include <boost/asio/connect.hpp>

namespace talaria::http {

using asio::ip::tcp;

Task<Result<std::unique_ptr<Transport>>> Transport::open(Url url,
                                                         std::vector<tcp::endpoint> endpoints,
                                                         TlsTrust& trust) {
  const auto broken = [&url](const std::string& what) {
    return fail(ErrorKind::unavailable, url.host + ": " + what);
  };
  auto made = std::make_unique<Transport>(co_await asio::this_coro::executor);
  const auto [error, endpoint] = co_await asio::async_connect(made->socket, endpoints, as_values);
  if (error) co_return broken(error.message());
  boost::system::error_code ignored;
  made->socket.set_option(tcp::no_delay(true), ignored);
  if (url.secure()) {
    const Result<TlsTrust::Context*> trusted = trust.context();
    if (!trusted) co_return fail(trusted.error());
    auto& stream = made->tls.emplace(made->socket, (*trusted)->ssl);
    boost::system::error_code no_address;
    asio::ip::make_address(url.host, no_address);
    if (no_address) SSL_set_tlsext_host_name(stream.native_handle(), url.host.c_str());
    stream.set_verify_callback(asio::ssl::host_name_verification(url.host));
    const auto [untrusted] =
        co_await stream.async_handshake(asio::ssl::stream_base::client, as_values);
    if (untrusted) co_return broken("TLS: " + untrusted.message());
  }
  co_return std::move(made);
}

}  // namespace talaria::http
