#include <charconv>

#include <boost/asio/ip/address.hpp>

#include "front/gateway/http/http_server.h"

namespace talaria::front::gateway {

bool ListenAddress::loopback() const {
  if (host.empty()) return true;
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(host, error);
  return !error && address.is_loopback();
}

Result<ListenAddress> parse_listen_address(const std::string& text) {
  const Error flaw(
      ErrorKind::bad_request,
      "--listen: expected ADDRESS:PORT, [ADDRESS]:PORT or unix:PATH, got '" + text + "'");
  ListenAddress parsed;
  if (text.starts_with("unix:")) {
    parsed.path = text.substr(5);
    if (!parsed.path.starts_with('/') || parsed.path.size() > 107) {
      return fail(ErrorKind::bad_request,
                  "--listen: expected an absolute path of at most 107 bytes after unix:, got '" +
                      parsed.path + "'");
    }
    return parsed;
  }
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0) return fail(flaw);
  parsed.host = text.substr(0, colon);
  if (parsed.host == "localhost") parsed.host = "127.0.0.1";
  if (parsed.host.starts_with('[') && parsed.host.ends_with(']')) {
    parsed.host = parsed.host.substr(1, parsed.host.size() - 2);
  }
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data() + colon + 1, end, parsed.port);
  if (read.ec == std::errc::result_out_of_range) {
    return fail(ErrorKind::bad_request,
                "--listen: expected a port of at most 65535, got '" + text + "'");
  }
  if (read.ec != std::errc() || read.ptr != end || colon + 1 == text.size()) return fail(flaw);
  boost::system::error_code error;
  boost::asio::ip::make_address(parsed.host, error);
  if (error) return fail(flaw);
  return parsed;
}

}  // namespace talaria::front::gateway
