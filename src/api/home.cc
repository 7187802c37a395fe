#include <talaria/home.h>

#include <algorithm>

#include "api/approval_conversion.h"
#include "api/asio_runtime.h"
#include "api/core.h"
#include "api/wait_for.h"
#include "environment/lease.h"
#include "environment/modal/snapshot_store.h"
#include "host/approval_queue.h"
#include "host/caller.h"
#include "host/config.h"
#include "host/config/sources.h"
#include "host/disk_usage.h"
#include "host/local_runners.h"
#include "host/override_store.h"
#include "host/store/process_store.h"

namespace talaria {
namespace {

// Ends of processes that no program has fetched from the runner yet: with its files they would be
// lost. What cannot be fetched does not keep the runner from being removed.
Task<Result<void>> collect_ends() {
  const AsioRuntime runtime(
      co_await asio::this_coro::executor,
      {.settings = {{"TERMINAL_ENV", "local", "env rm"}}, .lifetime = Lifetime::command_line});
  host::Host& host = runtime.core()->host();
  const auto known = host.journal.ledger().lately();
  if (!known) co_return fail(known.error());
  for (const host::StoredProcess& process : *known) {
    if (process.target != "local") continue;
    const auto running = host.journal.ledger().running_at(process.environment);
    if (!running || running->empty()) continue;
    const auto environment = co_await host.environments.get(process.task);
    if (!environment) co_return fail(environment.error());
    (void)co_await host.journal.events().collect(process.environment, *environment);
  }
  co_return Result<void>();
}

}  // namespace

Home::Home() : Home(host::config_home(host::Caller::of_this_process())) {}

std::vector<std::string> Home::runner_ids() const { return talaria::host::runner_ids(directory_); }

std::vector<RunnerEntry> Home::runners() const { return wait_for(host::list_runners(directory_)); }

Result<RunnerEntry> Home::runner(const std::string& id) const {
  return wait_for(host::find_runner(directory_, id));
}

Result<void> Home::remove_runner(const std::string& id, bool force) const {
  const bool ours = directory_ == host::config_home(host::Caller::of_this_process());
  if (ours && runner(id)) (void)wait_for(collect_ends());
  return wait_for(host::remove_runner_of(directory_, id, force));
}

std::vector<StoppedRunner> Home::stop_runners(bool force) const {
  return wait_for(talaria::host::stop_runners(directory_, force));
}

std::vector<KnownPlace> Home::places() const {
  std::vector<KnownPlace> places;
  for (const environment::KnownLease& lease : environment::known_leases(directory_)) {
    const environment::LeaseFacts& facts = lease.facts;
    if (facts.task.empty()) continue;  // see pools()
    places.push_back({.id = facts.task,
                      .target = facts.target,
                      .place = facts.kind + " " + facts.name,
                      .profile = facts.profile,
                      .last_use = lease.last_use,
                      .in_use = lease.held});
  }
  std::ranges::sort(places, {}, &KnownPlace::id);
  return places;
}

std::vector<PoolInfo> Home::pools() const { return environment::known_pools(directory_); }

std::optional<std::string> Home::snapshot(const std::string& task) const {
  return environment::modal::find_modal_snapshot(directory_, task);
}

Result<void> Home::forget_snapshot(const std::string& task) const {
  return wait_for(environment::modal::forget_modal_snapshot(directory_, task));
}

EnvironmentTotals Home::totals(const std::vector<RunnerEntry>& runners,
                               const std::vector<KnownPlace>& places) const {
  EnvironmentTotals totals{.count = runners.size() + places.size()};
  for (const RunnerEntry& runner : runners) {
    for (const StoredSession& session : runner.sessions) {
      totals.tasks.insert(session.id);
      totals.workdirs.emplace(session.id, session.cwd);
    }
  }
  for (const KnownPlace& place : places) totals.tasks.insert(place.id);
  const Result<host::Config> config = read_config(host::Caller::of_this_process());
  totals.disk_mb = host::disk_usage_mb({config ? config->sandbox_dir : directory_ + "/sandboxes"});
  return totals;
}

std::vector<NotedProcess> Home::processes(std::size_t limit) const {
  std::vector<NotedProcess> noted;
  const auto database = std::make_shared<host::HomeDatabase>(directory_);
  if (!database->exists()) return noted;
  const auto newest = host::ProcessStore(database).newest(limit);
  if (!newest) return noted;
  for (const host::StoredProcess& one : *newest) noted.push_back({one.id, one.command, one.ended});
  return noted;
}

Result<std::vector<QueuedApproval>> Home::approvals(bool all) const {
  host::ApprovalQueue queue(directory_, std::make_shared<host::HomeDatabase>(directory_));
  return queued_approvals(queue, all);
}

Result<QueuedApproval> Home::answer_approval(const std::string& id,
                                             const ApprovalAnswer& answer) const {
  host::ApprovalQueue queue(directory_, std::make_shared<host::HomeDatabase>(directory_));
  const auto answered = queue.answer(id, answer, answerer_here());
  if (!answered) return fail(answered.error());
  return to_queued({.question = *answered});
}

Result<StoredOverrides> Home::overrides(const std::string& task) const {
  host::OverrideStore store(directory_);
  if (const auto read = store.refresh(); !read) return fail(read.error());
  StoredOverrides stored;
  const auto found = store.overrides().find(task);
  if (found == store.overrides().end()) return stored;
  for (const host::ConfigFlag& flag : found->second.flags)
    stored.emplace_back(flag.flag, flag.value);
  return stored;
}

Result<void> Home::store_overrides(const std::string& task,
                                   const StoredOverrides& overrides) const {
  if (const auto allowed = host::refuse_commands(); !allowed) return fail(allowed.error());
  boost::json::object said;
  for (const auto& [key, value] : overrides) said[key] = value;
  return host::OverrideStore(directory_).set(task, said);
}

}  // namespace talaria
