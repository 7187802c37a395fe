// Network: how names become addresses, and addresses connections. A fake one lets a test say that a
// public address is its own server.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "base/result.h"
#include "base/task.h"

namespace talaria::http {

using Addresses = std::vector<asio::ip::address>;

class Network {
 public:
  virtual ~Network() = default;
  // All the addresses of a host, which may be one itself.
  virtual Task<Result<Addresses>> resolve(std::string host) = 0;
  // Where to connect to reach `address`.
  virtual asio::ip::tcp::endpoint endpoint(const asio::ip::address& address,
                                           std::uint16_t port) const = 0;
};

// Where to connect to reach a host that may be anywhere.
Task<Result<std::vector<asio::ip::tcp::endpoint>>> find_endpoints(Network& network,
                                                                  std::string host,
                                                                  std::uint16_t port);

// The one this machine is in.
class SystemNetwork final : public Network {
 public:
  Task<Result<Addresses>> resolve(std::string host) override;
  asio::ip::tcp::endpoint endpoint(const asio::ip::address& address,
                                   std::uint16_t port) const override {
    return {address, port};
  }
};

}  // namespace talaria::http
