#include "host/journal.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace talaria::host {

namespace {

StoredProcess begun_now(environment::Environment& environment, StoredProcess process) {
  process.target = environment.target();
  process.instance = environment.processes().instance();
  process.started = std::chrono::system_clock::now();
  return process;
}

}  // namespace

Result<void> Journal::try_process_started(environment::Environment& environment,
                                          StoredProcess process) {
  return ledger_->try_started(begun_now(environment, std::move(process)));
}

Task<Result<void>> Journal::process_started(environment::Environment& environment,
                                            StoredProcess process) {
  return ledger_->started(begun_now(environment, std::move(process)));
}

Task<Result<bool>> Journal::has_running(std::shared_ptr<environment::Environment> environment,
                                        std::string key) {
  const auto written = ledger_->running_at(key);
  if (!written) co_return fail(written.error());
  if (!environment || written->empty()) co_return false;
  const auto list = co_await environment->processes().list({});
  if (!list) co_return fail(list.error());
  co_return std::ranges::any_of(*list, &ProcessInfo::running);
}

}  // namespace talaria::host
