#include "tools/start_record.h"

#include <utility>

namespace talaria::tool {

void StartRecord::sent(const std::string& id) {
  failed();
  process_.id = id;
  process_.instance = environment_.processes().instance();
  written_ = write().has_value();  // else it is tried again once it has started
}

Result<void> StartRecord::started(const std::string& id) {
  const std::string instance = environment_.processes().instance();
  if (written_ && process_.id == id && process_.instance == instance) return {};
  process_.id = id;
  process_.instance = instance;
  return write();
}

void StartRecord::failed() {
  if (std::exchange(written_, false)) journal_.ledger().not_started(process_.id);
}

}  // namespace talaria::tool
