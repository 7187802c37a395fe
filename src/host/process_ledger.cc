#include "host/process_ledger.h"

namespace talaria::host {

Result<void> ProcessLedger::started(const StoredProcess& process) {
  return processes_.add(process);
}

void ProcessLedger::not_started(const std::string& id) { (void)processes_.end(id); }

std::optional<StoredProcess> ProcessLedger::find(const std::string& id) {
  return processes_.find(id).value_or(std::nullopt);
}

Result<std::vector<StoredProcess>> ProcessLedger::lately() {
  if (!exists()) return std::vector<StoredProcess>();  // to look creates none
  return processes_.one_per_environment();
}

Result<std::vector<StoredProcess>> ProcessLedger::running_at(const std::string& environment) {
  return processes_.running_at(environment);
}

// If that cannot be written down, it is reported once more than needed: better than once less.
void ProcessLedger::end_reported(const std::string& id) { (void)events_.mark_consumed(id); }

Result<std::uint64_t> ProcessLedger::mark(const std::string& process, const std::string& name) {
  const auto found = processes_.mark(process, name);
  if (!found) return fail(found.error());
  return found->value_or(0);
}

Result<void> ProcessLedger::set_mark(const std::string& process, const std::string& name,
                                     std::uint64_t cursor) {
  return processes_.set_mark(process, name, cursor);
}

}  // namespace talaria::host
