#include "host/process_ledger.h"

#include <algorithm>
#include <ranges>

#include "host/lost_event.h"

namespace talaria::host {

Result<void> ProcessLedger::try_started(const StoredProcess& process) {
  return processes_.add(process);
}

Task<Result<void>> ProcessLedger::started(StoredProcess process) {
  return database_->patiently(
      [store = processes_, process = std::move(process)]() mutable { return store.add(process); });
}

void ProcessLedger::not_started(const std::string& id) { (void)processes_.remove(id); }

void ProcessLedger::may_have_started(const std::string& id) { (void)processes_.end(id); }

Result<std::optional<StoredProcess>> ProcessLedger::find(const std::string& id) {
  return processes_.find(id);
}

Result<std::string> ProcessLedger::full_id(const std::string& beginning) {
  if (!exists() || beginning.empty()) return beginning;
  const auto ids = processes_.ids_that_begin(beginning);
  if (!ids) return fail(ids.error());
  if (ids->empty() || std::ranges::find(*ids, beginning) != ids->end()) return beginning;
  if (ids->size() == 1) return ids->front();
  constexpr std::size_t kMostListed = 10;
  std::string list;
  for (const std::string& id : *ids | std::views::take(kMostListed)) {
    list += (list.empty() ? "" : ", ") + id;
  }
  if (ids->size() > kMostListed) list += " and others";
  return fail(ErrorKind::bad_request, "several processes begin with '" + beginning + "': " + list +
                                          "; type more of the ID");
}

std::optional<ProcessInfo> ProcessLedger::find_ended(const std::string& id,
                                                     const std::string& instance) {
  const auto known = find(id).value_or(std::nullopt);
  if (!known) return std::nullopt;
  auto end = events_.end_of(id).value_or(std::nullopt);
  if (!end && !known->ended && !instance.empty() && known->instance != instance) {
    end = lost_event(*known);
    (void)events_.add({.instance = known->instance}, *end);  // else it is found out again
  }
  const bool is_earlier = !instance.empty() && known->instance != instance;
  if (!end || (end->ended != ProcessEnd::lost && !is_earlier)) return std::nullopt;
  return ProcessInfo{.id = id,
                     .task = known->task,
                     .session_key = known->session_key,
                     .target = known->target,
                     .command = known->command,
                     .started = known->started,
                     .finished = end->time,
                     .ended = end->ended,
                     .exit_code = end->exit_code,
                     .source = end->source,
                     .output_bytes = end->output.size(),
                     .tail = end->output};
}

Result<std::vector<StoredProcess>> ProcessLedger::lately() {
  if (!exists()) return std::vector<StoredProcess>();  // to look creates none
  return processes_.one_per_environment();
}

Result<std::vector<StoredProcess>> ProcessLedger::running_at(const std::string& environment) {
  return processes_.running_at(environment);
}

// If that cannot be written down, it is reported once more than needed: better than once less.
Task<void> ProcessLedger::end_reported(std::string id) {
  (void)co_await database_->patiently(
      [store = events_, id = std::move(id)]() mutable { return store.mark_consumed(id); });
}

Result<std::uint64_t> ProcessLedger::mark(const std::string& process, const std::string& name) {
  const auto found = processes_.mark(process, name);
  if (!found) return fail(found.error());
  return found->value_or(0);
}

Task<Result<void>> ProcessLedger::set_mark(std::string process, std::string name,
                                           std::uint64_t cursor) {
  return database_->patiently([store = processes_, process = std::move(process),
                               name = std::move(name),
                               cursor]() mutable { return store.set_mark(process, name, cursor); });
}

}  // namespace talaria::host
