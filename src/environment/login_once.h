// LoginOnce: asks a runner once what its login files bring, for all commands that want to know. The
// first one asks; those that come meanwhile wait for the same answer.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/steady_timer.hpp>

#include "base/cancel.h"
#include "base/result.h"
#include "base/task.h"
#include "link/driver.h"

namespace talaria {

class LoginOnce {
 public:
  LoginOnce(const asio::any_io_executor& executor, std::shared_ptr<LinkDriver> driver)
      : executor_(executor), driver_(std::move(driver)) {}

  // The id for Start; empty if that runner cannot tell. Cancelling ends the wait, not the reading.
  Task<Result<std::string>> id(Login request, CancelToken cancel);

  // What there is to say about it, for the first who takes it.
  std::vector<std::string> take_notices();

  // The answer is of no use any more: the next one asks again.
  void forget() { answer_.reset(); }

 private:
  struct Answer {
    explicit Answer(const asio::any_io_executor& executor)
        : arrived(executor, std::chrono::steady_clock::time_point::max()) {}
    std::optional<Result<LoginReport>> report;
    asio::steady_timer arrived;  // never expires; cancelled when the report is there
  };
  static Task<void> ask(std::shared_ptr<LinkDriver> driver, Login request,
                        std::shared_ptr<Answer> answer);

  asio::any_io_executor executor_;
  std::shared_ptr<LinkDriver> driver_;
  std::shared_ptr<Answer> answer_;
};

}  // namespace talaria
