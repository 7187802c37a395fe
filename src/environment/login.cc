#include "environment/login.h"

#include <optional>
#include <utility>

#include <boost/asio/steady_timer.hpp>

namespace talaria {
namespace {

struct Answer {
  explicit Answer(const asio::any_io_executor& executor)
      : arrived(executor, std::chrono::steady_clock::time_point::max()) {}
  std::optional<Result<LoginReport>> report;
  asio::steady_timer arrived;  // never expires; cancelled when the report is there
};

Result<LoginReport> read_answer(const Result<std::string>& body) {
  if (body) return decode<LoginReport>(*body);
  const Error& error = body.error();
  switch (error.kind()) {
    case ErrorKind::bad_request:  // a runner of an older version: its sessions start without
      return LoginReport{.notices = {"login files were not read: " + error.message()}};
    case ErrorKind::runner_lost:
      return fail(ErrorKind::unavailable, error.message());
    default:
      return fail(error);
  }
}

Task<void> wait_for(std::shared_ptr<LinkDriver> driver, Login request,
                    std::shared_ptr<Answer> answer) {
  answer->report = read_answer(co_await driver->call(std::move(request)));
  answer->arrived.cancel();
}

}  // namespace

Task<Result<LoginReport>> ask_login(std::shared_ptr<LinkDriver> driver, Login request,
                                    CancelToken cancel) {
  const auto executor = co_await asio::this_coro::executor;
  const auto answer = std::make_shared<Answer>(executor);
  spawn(executor, wait_for(std::move(driver), std::move(request), answer));
  cancel.on_cancel([answer] { answer->arrived.cancel(); });
  while (!answer->report && !cancel.cancelled()) co_await answer->arrived.async_wait(as_values);
  cancel.on_cancel(nullptr);
  if (!answer->report) co_return fail(ErrorKind::interrupted, "given up before it started");
  co_return std::move(*answer->report);
}

}  // namespace talaria
