#include "environment/login_once.h"

#include <utility>

namespace talaria {

Task<void> LoginOnce::ask(std::shared_ptr<LinkDriver> driver, Login request,
                          std::shared_ptr<Answer> answer) {
  const Result<std::string> body = co_await driver->call(std::move(request));
  if (body) {
    answer->report = decode<LoginReport>(*body);
  } else if (body.error().kind() == ErrorKind::bad_request) {
    // A runner of an older version: its sessions start without.
    answer->report =
        LoginReport{.notices = {"login files were not read: " + body.error().message()}};
  } else {
    answer->report = fail(body.error());
  }
  answer->arrived.cancel();
}

Task<Result<std::string>> LoginOnce::id(Login request, CancelToken cancel) {
  if (!answer_) {
    answer_ = std::make_shared<Answer>(executor_);
    spawn(executor_, ask(driver_, std::move(request), answer_));
  }
  const std::shared_ptr<Answer> answer = answer_;
  cancel.on_cancel([answer] { answer->arrived.cancel(); });
  while (!answer->report && !cancel.cancelled()) co_await answer->arrived.async_wait(as_values);
  cancel.on_cancel(nullptr);
  if (!answer->report) co_return fail(ErrorKind::interrupted, "given up before it started");
  if (*answer->report) co_return (*answer->report)->id;
  if (answer_ == answer) answer_.reset();
  co_return fail(answer->report->error());
}

std::vector<std::string> LoginOnce::take_notices() {
  if (!answer_ || !answer_->report || !*answer_->report) return {};
  return std::exchange((*answer_->report)->notices, {});
}

}  // namespace talaria
