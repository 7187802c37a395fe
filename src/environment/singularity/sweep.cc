#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include <boost/asio/this_coro.hpp>

#include "environment/carrier/idle_runner.h"
#include "environment/singularity/instance_maker.h"
#include "environment/singularity/instance_pool.h"
#include "environment/singularity/names.h"
#include "environment/singularity/singularity_environment.h"
#include "os/directory.h"

namespace talaria::environment::singularity {
namespace {

using Clock = std::chrono::system_clock;

constexpr std::chrono::seconds kLongestWait{600};  // in a pool that no program fills
// Longer than it takes to start one and to record it.
constexpr auto kAbandoned = std::chrono::minutes(10);

bool may_end(const KnownLease& lease, const SweepSpec& sweep) {
  const LeaseFacts& facts = lease.facts;
  const auto limit = facts.waits() ? std::min(sweep.lifetime, kLongestWait) : sweep.max_age;
  if (lease.held || lease.age() < limit) return false;
  if (facts.waits()) return !is_wanted(leases_of_pool(sweep.home, facts.pool), facts.pool);
  return sweep.running || !facts.keep;
}

Task<bool> is_idle(SingularityEngine engine, std::string instance) {
  const auto idle = co_await carrier::is_runner_idle(instance_carrier(engine, instance));
  co_return idle && *idle;
}

std::string pool_overlay(const Scratch& scratch, std::string_view instance) {
  return overlay_directory(scratch, pool_overlay_name(instance));
}

// The engine knows nothing of it any more.
void forget_gone(const KnownLease& lease, const Scratch& scratch, const SweepSpec& sweep) {
  if (lease.held || sweep.dry_run) return;
  if (lease.facts.waits()) {
    if (!claim_to_remove(sweep.home, lease.facts)) return;
    std::error_code ignored;
    std::filesystem::remove_all(pool_overlay(scratch, lease.facts.id), ignored);
  }
  forget_lease(sweep.home, lease.facts);
}

// Those that a program was making for a pool when it was killed.
Task<void> remove_abandoned(SingularityEngine engine, Scratch scratch, SweepSpec sweep) {
  for (const std::string& name : os::names_in(overlays_directory(scratch))) {
    if (!name.starts_with(kPoolOverlay)) continue;
    const std::string instance = name.substr(kPoolOverlay.size());
    const std::string overlay = pool_overlay(scratch, instance);
    struct stat seen{};
    if (find_lease(sweep.home, kInstanceLease, instance) || ::lstat(overlay.c_str(), &seen) < 0 ||
        Clock::now() - Clock::from_time_t(seen.st_mtime) < kAbandoned) {
      continue;
    }
    co_await remove_pool_instance(engine, overlay, instance);
  }
}

}  // namespace

Task<Result<std::vector<Swept>>> sweep_instances(SingularityConfig config, SweepSpec sweep) {
  const auto engine = SingularityEngine::find();
  if (!engine) co_return fail(engine.error());
  const auto scratch = make_scratch(scratch_rules(config, sweep.sandbox_dir));
  if (!scratch) co_return fail(scratch.error());
  std::vector<Swept> swept;
  for (const KnownLease& lease : known_leases(sweep.home)) {
    const LeaseFacts& facts = lease.facts;
    if (facts.engine != engine->identity()) continue;
    if (facts.kind == kPoolLease && !lease.held && !sweep.dry_run) forget_lease(sweep.home, facts);
    if (facts.kind != kInstanceLease) continue;
    const auto running = co_await engine->is_running(facts.id);
    if (!running) co_return fail(running.error());
    if (!*running) {
      forget_gone(lease, *scratch, sweep);
      continue;
    }
    if (!may_end(lease, sweep) || !co_await is_idle(*engine, facts.id)) continue;
    Swept& entry = swept.emplace_back(
        Swept{.what = "instance " + facts.name, .why = "it was last used " + ago(lease.age())});
    if (sweep.dry_run) continue;
    if (facts.waits()) {
      if (!claim_to_remove(sweep.home, facts)) continue;  // a task has got it
      entry.removed =
          co_await remove_pool_instance(*engine, pool_overlay(*scratch, facts.id), facts.id);
      if (entry.removed) forget_lease(sweep.home, facts);
      continue;
    }
    const auto stopped = co_await engine->stop(facts.id);
    entry.removed = stopped.has_value();
    if (stopped) {
      forget_lease(sweep.home, facts);
    } else {
      entry.error = stopped.error();
    }
  }
  if (!sweep.dry_run) co_await remove_abandoned(*engine, *scratch, sweep);
  co_return swept;
}

}  // namespace talaria::environment::singularity
