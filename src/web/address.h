// Which addresses pages may be fetched from. An agent must not reach what is meant only for this
// machine or its provider.
#pragma once

#include <string_view>

#include <boost/asio/ip/address.hpp>

namespace talaria::web {

namespace asio = boost::asio;

enum class Reach {
  open,      // public
  internal,  // loopback, private, reserved, multicast: only if the operator allows it
  never,     // metadata services of clouds, which have credentials
};

// An IPv6 address that carries an IPv4 address (mapped, NAT64, 6to4) is judged by that one, too.
Reach reach_of(const asio::ip::address& address);

// The same for names, whatever they resolve to. `host` in its normal form.
bool is_metadata_host(std::string_view host);

}  // namespace talaria::web
