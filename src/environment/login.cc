#include "environment/login.h"

#include <utility>

namespace talaria::environment {

Task<Result<link::LoginReport>> ask_login(std::shared_ptr<link::LinkDriver> driver,
                                          link::Login request, CancelToken cancel) {
  const Result<std::string> body = co_await driver->call(std::move(request), {}, std::move(cancel));
  if (body) co_return link::decode<link::LoginReport>(*body);
  const Error& error = body.error();
  switch (error.kind()) {
    case ErrorKind::bad_request:  // a runner of an older version: its sessions start without
      co_return link::LoginReport{.notices = {"login files were not read: " + error.message()}};
    case ErrorKind::runner_lost:
      co_return fail(ErrorKind::unavailable, error.message());
    case ErrorKind::interrupted:
      co_return fail(ErrorKind::interrupted, "cancelled before it started");
    default:
      co_return fail(error);
  }
}

}  // namespace talaria::environment
