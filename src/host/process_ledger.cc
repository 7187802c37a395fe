#include "host/process_ledger.h"

#include <utility>

namespace talaria::host {

Result<Store*> ProcessLedger::store() {
  if (store_) return &*store_;
  if (home_.empty()) return fail(ErrorKind::unavailable, "there is no home to write to");
  Result<Store> opened = Store::open(home_);
  if (!opened) return fail(opened.error());
  store_.emplace(std::move(*opened));
  return &*store_;
}

Result<void> ProcessLedger::started(const StoredProcess& process) {
  const auto opened = store();
  if (!opened) return fail(opened.error());
  return (*opened)->add_process(process);
}

void ProcessLedger::not_started(const std::string& id) {
  if (const auto opened = store()) (void)(*opened)->end_process(id);
}

std::optional<StoredProcess> ProcessLedger::find(const std::string& id) {
  const auto opened = store();
  if (!opened) return std::nullopt;
  return (*opened)->find_process(id).value_or(std::nullopt);
}

Result<std::vector<StoredProcess>> ProcessLedger::lately() {
  if (!store_ && !Store::exists(home_)) return std::vector<StoredProcess>();  // to look makes none
  const auto opened = store();
  if (!opened) return fail(opened.error());
  return (*opened)->one_per_environment();
}

Result<std::vector<StoredProcess>> ProcessLedger::running_at(const std::string& environment) {
  const auto opened = store();
  if (!opened) return fail(opened.error());
  return (*opened)->running_at(environment);
}

// If that cannot be written down, it is told once more than needed: better than once less.
void ProcessLedger::end_reported(const std::string& id) {
  const auto opened = store();
  if (!opened) return;
  (void)(*opened)->mark_consumed(id);
}

Result<std::uint64_t> ProcessLedger::mark(const std::string& process, const std::string& name) {
  const auto opened = store();
  if (!opened) return fail(opened.error());
  const auto found = (*opened)->mark(process, name);
  if (!found) return fail(found.error());
  return found->value_or(0);
}

Result<void> ProcessLedger::set_mark(const std::string& process, const std::string& name,
                                     std::uint64_t cursor) {
  const auto opened = store();
  if (!opened) return fail(opened.error());
  return (*opened)->set_mark(process, name, cursor);
}

}  // namespace talaria::host
