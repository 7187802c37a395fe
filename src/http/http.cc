#include "http/http.h"

#include <utility>

#include "http/connection.h"

namespace talaria::http {

Task<Result<HttpResponse>> HttpClient::exchange(HttpRequest request, Addresses where) {
  std::vector<asio::ip::tcp::endpoint> endpoints;
  for (const asio::ip::address& address : where) {
    endpoints.push_back(network_.endpoint(address, request.url.port));
  }
  auto connection = co_await HttpConnection::open(request.url, std::move(endpoints), trust_);
  if (!connection) co_return fail(connection.error());
  request.keep = false;
  co_return co_await (*connection)->exchange(std::move(request), limits_);
}

}  // namespace talaria::http
