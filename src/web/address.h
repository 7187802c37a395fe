// Which addresses of a network a page may come from: what an agent fetches must not be what only
// this machine, or its provider, was meant to reach.
#pragma once

#include <string_view>

#include <boost/asio/ip/address.hpp>

namespace talaria::web {

namespace asio = boost::asio;

enum class Reach {
  open,      // anybody's
  internal,  // loopback, private, reserved, multicast: only if the operator allows it
  never,     // where clouds keep the credentials of their machines
};

// An IPv6 address that carries an IPv4 address (mapped, NAT64, 6to4) is judged by that one, too.
Reach reach_of(const asio::ip::address& address);

// Names of such places, whatever they resolve to. `host` in its normal form.
bool is_metadata_host(std::string_view host);

}  // namespace talaria::web
