#include "tools/start_record.h"

#include <utility>

namespace talaria::tool {

void StartRecord::sent(const std::string& id) {
  failed();
  process_.id = id;
  process_.instance = environment_.processes().instance();
  written_ = journal_.try_process_started(environment_, process_)
                 .has_value();  // else it is tried again once it has started
}

Task<Result<void>> StartRecord::started(std::string id) {
  const std::string instance = environment_.processes().instance();
  if (written_ && process_.id == id && process_.instance == instance) co_return Result<void>();
  process_.id = std::move(id);
  process_.instance = instance;
  co_return co_await journal_.process_started(environment_, process_);
}

void StartRecord::not_started() {
  if (std::exchange(written_, false)) journal_.ledger().not_started(process_.id);
}

void StartRecord::failed() {
  if (std::exchange(written_, false)) journal_.ledger().may_have_started(process_.id);
}

}  // namespace talaria::tool
