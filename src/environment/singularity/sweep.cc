#include <memory>

#include <boost/asio/this_coro.hpp>

#include "environment/carrier/idle_runner.h"
#include "environment/singularity/instance.h"
#include "environment/singularity/singularity_environment.h"

namespace talaria::environment::singularity {
namespace {

bool may_end(const KnownLease& lease, const SweepSpec& sweep) {
  return !lease.held && lease.age() >= sweep.max_age && (sweep.running || !lease.facts.keep);
}

Task<bool> is_idle(SingularityEngine engine, std::string instance) {
  const auto idle = co_await carrier::is_runner_idle(instance_carrier(engine, instance));
  co_return idle && *idle;
}

}  // namespace

Task<Result<std::vector<Swept>>> sweep_instances(SweepSpec sweep) {
  const auto engine = SingularityEngine::find();
  if (!engine) co_return fail(engine.error());
  std::vector<Swept> swept;
  for (const KnownLease& lease : known_leases(sweep.home)) {
    const LeaseFacts& facts = lease.facts;
    if (facts.kind != kInstanceLease || facts.engine != engine->identity()) continue;
    const auto running = co_await engine->is_running(facts.id);
    if (!running) co_return fail(running.error());
    if (!*running) {
      if (!lease.held && !sweep.dry_run) forget_lease(sweep.home, facts);
      continue;
    }
    if (!may_end(lease, sweep) || !co_await is_idle(*engine, facts.id)) continue;
    Swept& entry = swept.emplace_back(
        Swept{.what = "instance " + facts.name, .why = "it was last used " + ago(lease.age())});
    if (sweep.dry_run) continue;
    const auto stopped = co_await engine->stop(facts.id);
    entry.removed = stopped.has_value();
    if (stopped) {
      forget_lease(sweep.home, facts);
    } else {
      entry.error = stopped.error();
    }
  }
  co_return swept;
}

}  // namespace talaria::environment::singularity
