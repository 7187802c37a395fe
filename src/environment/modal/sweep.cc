#include "environment/lease.h"
#include "environment/modal/end_sandbox.h"
#include "environment/modal/modal_environment.h"
#include "environment/task_lease.h"

namespace talaria::environment::modal {
namespace {

bool may_end(const KnownLease& lease, const SweepSpec& sweep) {
  return !lease.held && lease.age() >= sweep.max_age;
}

// With the lock that other programs respect; the lease is checked once more.
Task<Result<void>> end(ModalProgram program, SweepSpec sweep, LeaseFacts facts) {
  const auto turn = co_await turn_to_make(sweep.home, facts, nullptr, std::chrono::seconds(0));
  if (!turn) co_return fail(turn.error());
  const auto known = find_lease(sweep.home, kSandboxLease, facts.id);
  if (!known || !may_end(*known, sweep)) {
    co_return fail(ErrorKind::unavailable, "another program uses it again");
  }
  co_return co_await end_sandbox(program, sweep.home, facts);
}

}  // namespace

Task<Result<std::vector<Swept>>> sweep_sandboxes(ModalConfig config, SweepSpec sweep) {
  const auto account = find_modal_account(config);
  if (!account) co_return fail(account.error());
  const auto path = find_modal_program();
  if (!path) co_return fail(path.error());
  const ModalProgram program(*path, *account);
  std::vector<Swept> swept;
  for (const KnownLease& lease : known_leases(sweep.home)) {
    const LeaseFacts& facts = lease.facts;
    const bool ours = facts.kind == kSandboxLease && facts.target == sweep.target &&
                      facts.engine == account->identity();
    if (!ours || !may_end(lease, sweep)) continue;
    const auto state = co_await program.look(facts.id);
    if (!state) co_return fail(state.error().error);
    if (!state->running) {
      if (!sweep.dry_run) forget_lease(sweep.home, facts);
      continue;
    }
    Result<bool> idle = true;
    if (!sweep.running) idle = co_await is_sandbox_idle(program, facts.id);
    if (idle && !*idle) continue;  // one that cannot be asked is of no use to anybody
    Swept& entry = swept.emplace_back(
        Swept{.what = "sandbox " + facts.name, .why = "it was last used " + ago(lease.age())});
    if (sweep.dry_run) continue;
    const auto ended = co_await end(program, sweep, facts);
    entry.removed = ended.has_value();
    if (!ended) entry.error = ended.error();
  }
  co_return swept;
}

}  // namespace talaria::environment::modal
