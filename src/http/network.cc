#include "http/network.h"

#include <algorithm>
#include <memory>

#include <boost/asio/this_coro.hpp>

#include "base/event.h"
#include "base/signal_block.h"

namespace talaria::http {
namespace {

using asio::ip::tcp;

// One question to the system's resolver, which cannot be interrupted: a caller that stops waiting
// leaves it running.
struct Lookup {
  explicit Lookup(const asio::any_io_executor& executor) : resolver(executor) {}

  tcp::resolver resolver;
  AsyncEvent answered;
  boost::system::error_code error = asio::error::operation_aborted;
  tcp::resolver::results_type found;
};

void ask(const std::shared_ptr<Lookup>& lookup, const std::string& host) {
  const SignalsBlocked block;  // the first question starts a thread
  lookup->resolver.async_resolve(
      host, "",
      [lookup](const boost::system::error_code& error, tcp::resolver::results_type found) {
        lookup->error = error;
        lookup->found = std::move(found);
        lookup->answered.set();
      });
}

}  // namespace

Task<Result<std::vector<tcp::endpoint>>> find_endpoints(Network& network, std::string host,
                                                        std::uint16_t port) {
  const Result<Addresses> addresses = co_await network.resolve(std::move(host));
  if (!addresses) co_return fail(ErrorKind::unavailable, addresses.error().message());
  std::vector<tcp::endpoint> endpoints;
  for (const asio::ip::address& address : *addresses) {
    endpoints.push_back(network.endpoint(address, port));
  }
  co_return endpoints;
}

Task<Result<Addresses>> SystemNetwork::resolve(std::string host) {
  const auto lookup = std::make_shared<Lookup>(co_await asio::this_coro::executor);
  ask(lookup, host);
  co_await lookup->answered.wait();
  if (lookup->error) {
    lookup->resolver.cancel();
    co_return fail(ErrorKind::not_found, host + ": " + lookup->error.message());
  }
  Addresses addresses;
  for (const auto& entry : lookup->found) {
    const asio::ip::address address = entry.endpoint().address();
    if (std::ranges::find(addresses, address) == addresses.end()) addresses.push_back(address);
  }
  co_return addresses;
}

}  // namespace talaria::http
