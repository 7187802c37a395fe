#include "sandboxes/sandboxes.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/keep_alive.h"
#include "base/message.h"
#include "base/sha256.h"
#include "os/random.h"
#include "policy/approval/isolation.h"
#include "sandboxes/limits.h"
#include "sandboxes/sandbox_config.h"
#include "sandboxes/sandbox_paths.h"

namespace talaria::sandboxes {
namespace {

using SystemClock = std::chrono::system_clock;

// A gateway was stopped while it created a sandbox: how long its client may repeat the request.
constexpr auto kCreationTime = std::chrono::minutes(10);
constexpr auto kTidyEvery = std::chrono::minutes(1);
constexpr auto kPruneEvery = std::chrono::hours(1);

std::string digest_of(const SandboxSpec& spec) {
  std::string text;
  for (const std::string& part :
       {spec.image, spec.cwd, std::to_string(spec.cpu), std::to_string(spec.memory_mib),
        std::to_string(spec.disk_mib), std::to_string(spec.lifetime.count()),
        std::to_string(spec.idle.count()), std::to_string(static_cast<int>(spec.persistent)),
        spec.logical_key}) {
    text += std::to_string(part.size()) + ":" + part;
  }
  return sha256_hex(text);
}

// When a sandbox is to be terminated, as far as is known now.
std::optional<SystemClock::time_point> end_of_life(const Sandbox& sandbox) {
  const SandboxInfo& info = sandbox.info();
  if (info.state == SandboxState::creating && !sandbox.creating) {
    return info.created + kCreationTime;
  }
  if (info.state != SandboxState::running) return std::nullopt;
  std::optional<SystemClock::time_point> end;
  if (info.spec.lifetime.count() > 0) end = info.created + info.spec.lifetime;
  if (info.spec.idle.count() > 0 && sandbox.live == 0) {
    const auto idle = info.last_use + info.spec.idle;
    end = end ? std::min(*end, idle) : idle;
  }
  return end;
}

}  // namespace

Sandboxes::Sandboxes(asio::any_io_executor executor, tool::Services services,
                     std::shared_ptr<void> owner, RemoveEngineFiles remove_files)
    : executor_(std::move(executor)),
      services_(services),
      owner_(std::move(owner)),
      execs_(std::make_shared<Execs>(executor_, services_, owner_, table_)),
      snapshots_(services_, table_),
      places_(services_, snapshots_, std::move(remove_files)),
      next_check_(executor_) {}

Result<void> Sandboxes::open() {
  const Result<host::Config>& config = services_.settings.config();
  if (!config) return fail(config.error());
  if (const auto opened = table_->open(config->home); !opened) return opened;
  for (const auto& [id, sandbox] : table_->all()) {
    if (const auto set = places_.set_override(sandbox->info()); !set) return set;
  }
  if (const auto resumed = execs_->resume_all(); !resumed) return resumed;
  for (const auto& [id, sandbox] : std::map(table_->all())) {
    if (sandbox->info().state != SandboxState::terminating) continue;
    spawn_end(sandbox, sandbox->stored.keep);
  }
  spawn(executor_, keep_alive(shared_from_this(), watch_lifetimes()));
  return {};
}

SandboxInfo Sandboxes::info_of(const Sandbox& sandbox) const {
  SandboxInfo info = sandbox.info();
  info.live_execs = sandbox.live;
  const Result<host::Config>& config = services_.settings.config();
  info.isolated = config && policy::isolation_of(*config, services_.settings.caller()).isolated;
  return info;
}

Task<Result<SandboxInfo>> Sandboxes::create(std::string owner, SandboxSpec spec, std::string key,
                                            TokenScope scope) {
  if (is_image_by_path(services_.settings.target(), spec.image)) {
    co_return fail(ErrorKind::bad_request,
                   "image must name an image of a registry (debian; at singularity "
                   "docker://debian): files on the disk of the gateway may not be used");
  }
  const auto now = SystemClock::now();
  host::StoredSandbox wanted{.info = {.id = "sbx_" + os::random_hex(16),
                                      .owner = owner,
                                      .spec = std::move(spec),
                                      .target = services_.settings.target(),
                                      .created = now,
                                      .last_use = now},
                             .request = std::move(key)};
  wanted.digest = digest_of(wanted.info.spec);
  auto before =
      co_await table_->patiently([&](host::SandboxStore& store) { return store.add(wanted); });
  if (!before) co_return fail(before.error());
  if (*before) {
    if ((*before)->digest != wanted.digest) {
      co_return fail(ErrorKind::denied,
                     "this idempotency key was used for another request: use a new one");
    }
    if (const SandboxPtr known = table_->find((*before)->info.id)) {
      co_return co_await existing(known);
    }
    SandboxInfo terminated = (*before)->info;
    terminated.existed = true;
    co_return terminated;
  }
  Result<void> allowed = check_spec(wanted.info.spec, services_.settings.config()->gateway);
  if (allowed) allowed = check_count(owner, scope);
  if (!allowed) {
    co_await forget(wanted.info.id);
    co_return fail(allowed.error());
  }
  co_return co_await create_place(table_->add(std::move(wanted)));
}

Result<void> Sandboxes::check_count(const std::string& owner, const TokenScope& scope) const {
  if (const std::size_t count = table_->all().size(); count >= kMaxSandboxes) {
    return fail(ErrorKind::limit, "this gateway has " + std::to_string(count) +
                                      " sandboxes, which is its limit: terminate one first");
  }
  const std::size_t of_owner = table_->counts(owner).sandboxes;
  if (scope.max_sandboxes == 0 || of_owner < scope.max_sandboxes) return {};
  return fail(ErrorKind::limit,
              "your user has " + counted(of_owner, "sandbox", "sandboxes") +
                  ", and this token allows " + std::to_string(scope.max_sandboxes) +
                  ": terminate one first. The operator can raise the limit: talaria token limit "
                  "NAME --max-sandboxes COUNT, or gateway.max_sandboxes for all tokens");
}

Task<Result<SandboxInfo>> Sandboxes::create_place(SandboxPtr sandbox) {
  SandboxInfo& info = sandbox->info();
  sandbox->creating = std::make_unique<AsyncEvent>();
  Result<void> created = co_await places_.create(info);
  const std::unique_ptr<AsyncEvent> waiting = std::move(sandbox->creating);
  // One that is not recorded would be lost to the next gateway.
  if (created) {
    created = co_await table_->patiently(
        [&](host::SandboxStore& store) { return store.set_running(info); });
  }
  if (!created) {
    co_await discard(sandbox, created.error());
    waiting->notify_all();
    co_return fail(created.error());
  }
  info.state = SandboxState::running;
  info.last_use = SystemClock::now();  // it is idle from now on, not from the request
  waiting->notify_all();
  next_check_.cancel();
  co_return info_of(*sandbox);
}

Task<void> Sandboxes::forget(std::string id) {
  (void)co_await table_->patiently([&](host::SandboxStore& store) { return store.forget(id); });
}

// Leaves nothing of a sandbox that could not be created.
Task<void> Sandboxes::discard(SandboxPtr sandbox, Error why) {
  sandbox->failure = std::move(why);
  co_await places_.remove(sandbox->info());
  co_await forget(sandbox->info().id);
  table_->erase(sandbox->info().id);
}

// For a request that is repeated with the same key.
Task<Result<SandboxInfo>> Sandboxes::existing(SandboxPtr sandbox) {
  if (sandbox->creating) {
    while (sandbox->creating) co_await sandbox->creating->wait();
  } else if (sandbox->info().state == SandboxState::creating) {
    // An earlier gateway was stopped while it created the sandbox. Parts of it are found again.
    co_return co_await create_place(std::move(sandbox));
  }
  if (sandbox->failure) co_return fail(*sandbox->failure);
  SandboxInfo info = info_of(*sandbox);
  info.existed = true;
  co_return info;
}

Result<SandboxInfo> Sandboxes::find(const std::string& owner, const std::string& id) const {
  const auto found = table_->find_running(owner, id);
  if (!found) return fail(found.error());
  return info_of(**found);
}

std::vector<SandboxInfo> Sandboxes::list(const std::string& owner) const {
  std::vector<SandboxInfo> all;
  for (const auto& [id, sandbox] : table_->all()) {
    if (sandbox->info().owner == owner) all.push_back(info_of(*sandbox));
  }
  return all;
}

SandboxCounts Sandboxes::counts() const {
  SandboxCounts counts = execs_->counts();
  counts.sandboxes = table_->all().size();
  return counts;
}

Task<Termination> Sandboxes::end(SandboxPtr sandbox, bool snapshot) {
  SandboxInfo& info = sandbox->info();
  const bool save = snapshot && Snapshots::are_kept_for(info);
  info.state = SandboxState::terminating;
  sandbox->terminating = std::make_unique<AsyncEvent>();
  (void)co_await table_->patiently(
      [&](host::SandboxStore& store) { return store.set_terminating(info.id, save); });
  services_.policy.approvals().clear_session(info.id);
  co_await execs_->end_all(info.id);
  if (save) {
    const auto saved = co_await snapshots_.save(info);
    if (!saved) sandbox->termination.snapshot_error = saved.error().message();
  }
  co_await places_.remove(info);
  execs_->forget(info.id);
  if (!table_->store().set_terminated(info.id)) unwritten_ends_.insert(info.id);
  info.state = SandboxState::terminated;
  table_->erase(info.id);
  std::exchange(sandbox->terminating, nullptr)->notify_all();
  co_return sandbox->termination;
}

// Several end at the same time, so that one with commands that do not end delays no other.
void Sandboxes::spawn_end(SandboxPtr sandbox, bool snapshot) {
  spawn(executor_, [](std::shared_ptr<Sandboxes> self, SandboxPtr one, bool save) -> Task<void> {
    if (one->terminating || one->info().state == SandboxState::terminated) co_return;
    (void)co_await self->end(std::move(one), save);
  }(shared_from_this(), std::move(sandbox), snapshot));
}

Task<Result<Termination>> Sandboxes::terminate(std::string owner, std::string id, bool snapshot) {
  const auto found = table_->find_owned(owner, id);
  if (!found) {
    const auto before = table_->store().find(id);
    const bool was_own = before && *before && (*before)->info.owner == owner;
    if (was_own) co_return Termination();
    co_return fail(found.error());
  }
  const SandboxPtr& sandbox = *found;
  while (sandbox->creating) co_await sandbox->creating->wait();
  if (sandbox->failure) co_return Termination();
  // A repeated request returns at the end, so that the next sandbox finds the snapshot.
  while (sandbox->terminating) co_await sandbox->terminating->wait();
  if (sandbox->info().state >= SandboxState::terminating) co_return sandbox->termination;
  co_return co_await end(sandbox, snapshot);
}

// Repeats writes that failed, and forgets what is too old.
void Sandboxes::tidy() {
  execs_->write_ends();
  std::erase_if(unwritten_ends_, [&](const std::string& id) {
    return table_->store().set_terminated(id).has_value();
  });
  const auto now = SystemClock::now();
  if (now - last_prune_ < kPruneEvery && now >= last_prune_) return;
  last_prune_ = now;
  (void)table_->store().prune(now - kSandboxRetention);
}

Task<void> Sandboxes::watch_lifetimes() {
  for (;;) {
    tidy();
    const auto now = SystemClock::now();
    auto next = now + kTidyEvery;
    for (const auto& [id, sandbox] : std::map(table_->all())) {
      const auto idle = sandbox->info().spec.idle;
      if (idle.count() > 0) next = std::min(next, now + idle);  // an exec may end at once
      const auto end_at = end_of_life(*sandbox);
      if (!end_at) continue;
      if (*end_at <= now) {
        spawn_end(sandbox, true);
      } else {
        next = std::min(next, *end_at);
      }
    }
    next_check_.expires_after(
        std::max<SystemClock::duration>(next - SystemClock::now(), kLifetimeCheck));
    co_await next_check_.async_wait(as_values);
  }
}

}  // namespace talaria::sandboxes
