// Ends a runner over its link.
#pragma once

#include <memory>

#include "base/result.h"
#include "base/task.h"
#include "link/driver.h"

namespace talaria::environment {

// The report that an answer of the link holds, or its error.
template <class Report>
Result<Report> report_of(const Result<std::string>& answer) {
  if (!answer) return fail(answer.error());
  return link::decode<Report>(*answer);
}

template <class Report, class Message>
Task<Result<Report>> ask(std::shared_ptr<link::LinkDriver> link, Message message) {
  const auto answer = co_await link->call(std::move(message));
  co_return report_of<Report>(answer);
}

// The runner is about to end when this returns. Refused (denied) while commands run, unless they
// are to be killed. Disconnects the link.
Task<Result<void>> end_runner(std::shared_ptr<link::LinkDriver> link, bool kill_commands);

}  // namespace talaria::environment
