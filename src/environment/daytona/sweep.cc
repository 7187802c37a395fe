#include <memory>

#include <boost/asio/this_coro.hpp>

#include "environment/carrier/idle_runner.h"
#include "environment/daytona/daytona_client.h"
#include "environment/daytona/daytona_environment.h"
#include "environment/daytona/daytona_sandbox.h"
#include "environment/daytona/pty_carrier.h"
#include "environment/task_lease.h"

namespace talaria::environment::daytona {
namespace {

using std::chrono::seconds;

bool may_be_swept(const KnownLease& lease, const SweepSpec& sweep, const std::string& identity) {
  const LeaseFacts& facts = lease.facts;
  return facts.target == kDaytonaTarget && facts.engine == identity && !lease.held &&
         lease.age() >= sweep.max_age;
}

Task<bool> is_idle(std::shared_ptr<DaytonaClient> client, DaytonaFacts facts) {
  const auto daemon = co_await client->daemon(std::move(facts));
  if (!daemon) co_return false;
  const PtyAccess pty{.toolbox = *daemon, .key = client->config().key};
  const auto executor = co_await asio::this_coro::executor;
  const auto idle = co_await carrier::is_runner_idle(
      daytona_carrier(executor, [pty] { return PtyAccess(pty); }, seconds(0)));
  co_return idle && *idle;
}

class Sweeper {
 public:
  Sweeper(std::shared_ptr<DaytonaClient> client, SweepSpec sweep)
      : client_(std::move(client)), sweep_(std::move(sweep)) {}

  // Nothing if it stays as it is; an error: Daytona cannot be asked.
  Task<Result<std::optional<Swept>>> look_at(KnownLease lease) {
    const LeaseFacts& facts = lease.facts;
    const auto now = co_await client_->get(facts.name);
    if (!now && now.error().kind() != ErrorKind::not_found) co_return fail(now.error());
    if (!now || standing_of(now->state) == DaytonaStanding::gone) {
      if (!sweep_.dry_run) forget_lease(sweep_.home, facts);
      co_return std::nullopt;
    }
    if (facts.keep && !co_await may_be_stopped(*now)) co_return std::nullopt;
    Swept swept{.what = "sandbox " + facts.name,
                .why = "it was last used " + ago(lease.age()) +
                       (facts.keep ? " (it is stopped; its files stay)" : "")};
    if (sweep_.dry_run) co_return swept;
    const auto done = co_await (facts.keep ? client_->stop(now->id) : client_->remove(now->id));
    swept.removed = done.has_value();
    if (!done) swept.error = done.error();
    if (done && !facts.keep) forget_lease(sweep_.home, facts);
    co_return swept;
  }

 private:
  Task<bool> may_be_stopped(DaytonaFacts facts) {
    if (standing_of(facts.state) != DaytonaStanding::ready) co_return false;
    co_return sweep_.running || co_await is_idle(client_, std::move(facts));
  }

  std::shared_ptr<DaytonaClient> client_;
  SweepSpec sweep_;
};

}  // namespace

Task<Result<std::vector<Swept>>> sweep_daytona(DaytonaConfig config, SweepSpec sweep) {
  auto client = DaytonaClient::make(std::move(config));
  if (!client) co_return fail(client.error());
  const std::string identity = (*client)->identity();
  Sweeper sweeper(*client, sweep);
  std::vector<Swept> all;
  for (const KnownLease& known : known_leases(sweep.home)) {
    if (!may_be_swept(known, sweep, identity)) continue;
    // No program may take it meanwhile; one that has it or is taking it keeps it.
    const auto turn = co_await turn_to_make(sweep.home, known.facts, {}, seconds(0));
    const auto lease = find_lease(sweep.home, known.facts.kind, known.facts.id);
    if (!turn || !lease || !may_be_swept(*lease, sweep, identity)) continue;
    auto swept = co_await sweeper.look_at(*lease);
    if (!swept) co_return fail(swept.error());
    if (*swept) all.push_back(std::move(**swept));
  }
  co_return all;
}

}  // namespace talaria::environment::daytona
