#include "web/permitted_addresses.h"

#include "web/address.h"

namespace talaria::web {
namespace {

// A host that serves pictures of a chat from addresses that look private.
bool may_be_internal(const http::Url& url) {
  return url.secure() && url.host == "multimedia.nt.qq.com.cn";
}

}  // namespace

Task<Result<http::Addresses>> permitted_addresses(http::Network& network, http::Url url,
                                                  bool allow_internal) {
  if (is_metadata_host(url.host)) {
    co_return fail(ErrorKind::denied, url.host + " is a metadata service, which is never allowed");
  }
  Result<http::Addresses> addresses = co_await network.resolve(url.host);
  if (!addresses) co_return fail(ErrorKind::denied, addresses.error().message());
  if (addresses->empty()) co_return fail(ErrorKind::denied, url.host + " has no address");
  const bool internal = allow_internal || may_be_internal(url);
  for (const asio::ip::address& address : *addresses) {
    const Reach reach = reach_of(address);
    if (reach == Reach::open || (reach == Reach::internal && internal)) continue;
    co_return fail(ErrorKind::denied,
                   url.host + " has a private or internal address, which is not allowed");
  }
  co_return addresses;
}

}  // namespace talaria::web
