// Telling a runner, wherever it is, to end.
#pragma once

#include <memory>

#include "base/result.h"
#include "base/task.h"
#include "link/driver.h"

namespace talaria {

template <class Report, class Message>
Task<Result<Report>> ask(std::shared_ptr<LinkDriver> link, Message message) {
  const auto answer = co_await link->call(std::move(message));
  if (!answer) co_return fail(answer.error());
  co_return decode<Report>(*answer);
}

// It is about to go when this returns. Refused (denied) while commands run, unless they are to be
// killed. Disconnects the link.
Task<Result<void>> end_runner(std::shared_ptr<LinkDriver> link, bool kill_commands);

}  // namespace talaria
