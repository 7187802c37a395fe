#include "http/channel.h"

#include <utility>

#include "base/text.h"
#include "base/time_limit.h"

namespace talaria::http {
namespace {

constexpr std::size_t kMostIdle = 8;

}  // namespace

Task<Result<HttpResponse>> HttpChannel::ask(HttpRequest request, Options options) {
  request.keep = true;
  Connection connection = take_idle();
  if (connection) {
    auto response = co_await ask_over(*connection, request, options);
    const bool too_late = !response && response.error().kind() == ErrorKind::timed_out;
    const bool done = response || connection->heard() || too_late || !options.repeatable;
    if (response) keep(std::move(connection));
    if (done) co_return response;
    idle_.clear();  // as old as that one
  }
  auto made = co_await within(options.connect, connect(request.url));
  if (!made) {
    co_return fail(ErrorKind::timed_out, request.url.host + ": no connection within " +
                                             in_seconds(options.connect) + " s");
  }
  if (!*made) co_return fail(made->error());
  connection = std::move(**made);
  auto response = co_await ask_over(*connection, std::move(request), std::move(options));
  if (response) keep(std::move(connection));
  co_return response;
}

void HttpChannel::keep(Connection connection) {
  if (connection->usable() && idle_.size() < kMostIdle) idle_.push_back(std::move(connection));
}

HttpChannel::Connection HttpChannel::take_idle() {
  while (!idle_.empty()) {
    Connection connection = std::move(idle_.back());
    idle_.pop_back();
    if (connection->usable()) return connection;
  }
  return nullptr;
}

Task<Result<HttpChannel::Connection>> HttpChannel::connect(Url url) {
  auto endpoints = co_await find_endpoints(network_, url.host, url.port);
  if (!endpoints) co_return fail(endpoints.error());
  co_return co_await HttpConnection::open(std::move(url), std::move(*endpoints), trust_);
}

Task<Result<HttpResponse>> HttpChannel::ask_over(HttpConnection& connection, HttpRequest request,
                                                 Options options) {
  const std::string host = request.url.host;
  if (options.on_sending) options.on_sending();
  auto exchange = connection.exchange(std::move(request), limits_, std::move(options.on_body));
  if (options.answer.count() == 0) co_return co_await std::move(exchange);
  auto response = co_await within(options.answer, std::move(exchange));
  if (response) co_return std::move(*response);
  co_return fail(ErrorKind::timed_out,
                 host + ": no answer within " + in_seconds(options.answer) + " s");
}

}  // namespace talaria::http
