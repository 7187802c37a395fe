// How a sandbox is made, and how it ends.
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "base/time_limit.h"
#include "os/file.h"
#include "sandboxes/limits.h"
#include "sandboxes/sandbox_place.h"
#include "sandboxes/sandbox_wish.h"
#include "sandboxes/sandboxes.h"
#include "sandboxes/snapshot_archive.h"
#include "shell/quote.h"

namespace talaria::sandboxes {
namespace {

using Clock = std::chrono::system_clock;

constexpr auto kPlaceTime = std::chrono::minutes(5);  // to copy a snapshot
constexpr auto kEndPatience = std::chrono::seconds(10);
constexpr auto kMakingTime = std::chrono::minutes(10);
constexpr auto kTidyEvery = std::chrono::minutes(1);
constexpr auto kPruneEvery = std::chrono::hours(1);

std::string snapshot_name(const SandboxInfo& info) { return "snapshot_" + info.id; }

}  // namespace

// A container of its own, with what was asked for.
Result<void> Sandboxes::set_override(const Sandbox& sandbox) {
  const SandboxInfo& info = sandbox.stored.info;
  if (!is_container_target(info.target)) return {};
  return services_.settings.override_task(
      info.id, override_for(info.spec, info.target, *services_.settings.config()));
}

// Past policy: these are our own commands, not a caller's. Returns what it printed.
Task<Result<std::string>> Sandboxes::run_there(std::string sandbox, std::string command) {
  const auto environment = co_await services_.environments.get(sandbox);
  if (!environment) co_return fail(environment.error());
  environment::CommandSpec spec{.command = std::move(command),
                                .first_cwd = "/",
                                .env = services_.settings.variables().child_env(),
                                .carried_env = services_.settings.variables().carried_env(),
                                .timeout = kPlaceTime,
                                .head_limit = 4096,
                                .tail_limit = 4096,
                                .spill_quota = 0};
  const auto outcome = co_await (*environment)->run(std::move(spec), CancelToken());
  if (!outcome) co_return fail(outcome.error());
  const std::string printed(trim(outcome->head + outcome->tail));
  if (outcome->ended != CommandEnd::exited || exit_code_of(outcome->status) != 0) {
    co_return fail(ErrorKind::unavailable, sanitize_utf8(printed));
  }
  co_return printed;
}

Task<Result<SandboxInfo>> Sandboxes::make(SandboxPtr sandbox) {
  sandbox->made = std::make_unique<AsyncEvent>();
  const Result<void> made = co_await make_place(sandbox);
  const std::unique_ptr<AsyncEvent> waiting = std::move(sandbox->made);
  SandboxInfo& info = sandbox->stored.info;
  if (!made) {
    co_await unmake(sandbox, made.error());
    waiting->notify_all();
    co_return fail(made.error());
  }
  const auto written = store_->set_running(info);
  if (!written) {  // the next gateway would not know of it
    co_await unmake(sandbox, written.error());
    waiting->notify_all();
    co_return fail(written.error());
  }
  info.state = SandboxState::running;
  info.last_use = Clock::now();  // it is idle from now on, however long its making took
  waiting->notify_all();
  times_.cancel();
  co_return info_of(*sandbox);
}

// Leaves nothing of one that could not be made.
Task<void> Sandboxes::unmake(SandboxPtr sandbox, Error why) {
  const SandboxInfo& info = sandbox->stored.info;
  sandbox->failure = std::move(why);
  co_await remove_place(sandbox);
  (void)store_->forget(info.id);
  sandboxes_.erase(info.id);
  services_.settings.clear_override(info.id);
}

Task<void> Sandboxes::remove_place(SandboxPtr sandbox) {
  const SandboxInfo& info = sandbox->stored.info;
  if (is_container_target(info.target)) {
    (void)co_await services_.environments.remove(info.id, {.everything = true});
    co_await forget_files_(*services_.settings.config(), info.target, info.id);
  } else if (!info.directory.empty()) {
    (void)co_await run_there(info.id, "rm -rf -- " + shell::single_quote(info.directory));
    const auto environment = co_await services_.environments.get(info.id);
    if (environment) (void)co_await (*environment)->end_session(info.id);
  }
}

// Asked for again, with the same key.
Task<Result<SandboxInfo>> Sandboxes::made_by_another(SandboxPtr sandbox) {
  if (sandbox->made) {
    while (sandbox->made) co_await sandbox->made->wait();
  } else if (sandbox->stored.info.state == SandboxState::creating) {
    // We were stopped while it was made: what is there of it is found again.
    co_return co_await make(std::move(sandbox));
  }
  if (sandbox->failure) co_return fail(*sandbox->failure);
  SandboxInfo info = info_of(*sandbox);
  info.existed = true;
  co_return info;
}

Task<Result<void>> Sandboxes::make_place(SandboxPtr sandbox) {
  SandboxInfo& info = sandbox->stored.info;
  if (const auto said = set_override(*sandbox); !said) co_return said;
  std::string kept;
  if (info.spec.persistent && !info.spec.logical_key.empty()) {
    kept = store_->snapshot(info.owner, info.spec.logical_key, info.target).value_or("");
  }
  if (is_container_target(info.target)) co_return co_await make_in_container(sandbox, kept);
  if (info.target == "local") {
    info.directory = services_.settings.config()->home + "/talaria/sandboxes/" + info.id;
    if (const auto made = os::make_private_directory(info.directory); !made) co_return made;
  } else {
    const auto made =
        co_await run_there(info.id, "umask 077 && mkdir -p ~/.talaria/sandboxes/" + info.id +
                                        " && cd ~/.talaria/sandboxes/" + info.id + " && pwd -P");
    if (!made) co_return fail(made.error());
    if (!made->starts_with('/')) {
      co_return fail(ErrorKind::unavailable, "no directory could be made at target " + info.target);
    }
    info.directory = *made;
  }
  if (kept.empty()) co_return Result<void>();
  // One that cannot be had any more is passed over: the sandbox begins empty.
  const auto restored =
      co_await run_there(info.id, "cp -a --reflink=auto -- " + shell::single_quote(kept) + "/. " +
                                      shell::single_quote(info.directory) + "/");
  info.restored = restored.has_value();
  co_return Result<void>();
}

Task<Result<void>> Sandboxes::make_in_container(SandboxPtr sandbox, std::string kept) {
  SandboxInfo& info = sandbox->stored.info;
  const auto environment = co_await services_.environments.get(info.id);
  if (!environment) co_return fail(environment.error());
  const environment::EnvironmentLimits limits = (*environment)->limits();
  info.limits = {.cpu = limits.cpu,
                 .memory_mib = static_cast<double>(limits.memory_mb),
                 .disk_mib = static_cast<double>(limits.disk_mb)};
  if (!kept.empty()) {
    const auto restored =
        co_await restore_archive(**environment, runner_for(info.id), std::move(kept));
    info.restored = restored.has_value();
  }
  const std::string cwd = exec_directory(info, std::nullopt);
  if (cwd.starts_with('~')) co_return Result<void>();
  const auto made = co_await run_there(info.id, "mkdir -p -- " + shell::single_quote(cwd));
  if (!made) co_return fail(made.error());
  co_return Result<void>();
}

RunThere Sandboxes::runner_for(const std::string& sandbox) {
  return [this, sandbox](std::string command) { return run_there(sandbox, std::move(command)); };
}

// Also what execs that ended have left running.
Task<void> Sandboxes::end_all_in(std::string sandbox) {
  for (const auto& [key, live] : std::map<ExecKey, LivePtr>(live_)) {
    if (key.first == sandbox && !live->ended()) co_await kill(live);
  }
  const auto until = std::chrono::steady_clock::now() + kEndPatience;
  for (const auto& [key, live] : std::map<ExecKey, LivePtr>(live_)) {
    while (key.first == sandbox && !live->ended() && std::chrono::steady_clock::now() < until) {
      co_await live->changed.wait_until(until);
    }
  }
  if (is_container_target(services_.settings.target()))
    co_return;  // the container ends with all that is in it
  const auto environment = co_await services_.environments.get(sandbox);
  if (!environment) co_return;
  const auto processes = co_await (*environment)->processes().list({});
  if (!processes) co_return;
  for (const ProcessInfo& process : *processes) {
    if (process.task != sandbox || (!process.running && process.background_children == 0)) continue;
    (void)co_await (*environment)->processes().kill(process.id, std::string(kKillAllSource));
  }
}

// What is in it becomes the snapshot of its key, in one step.
Task<Result<void>> Sandboxes::keep(SandboxPtr sandbox) {
  const SandboxInfo& info = sandbox->stored.info;
  if (info.directory.empty()) co_return co_await keep_container(sandbox);
  const std::string before =
      store_->snapshot(info.owner, info.spec.logical_key, info.target).value_or("");
  const std::string parent = info.directory.substr(0, info.directory.rfind('/'));
  const std::string place = parent + "/" + snapshot_name(info);
  // Both are there only if somebody was killed in between.
  const std::string from = shell::single_quote(info.directory);
  const std::string to = shell::single_quote(place);
  const auto moved = co_await run_there(
      info.id, "[ -d " + to + " ] && ! [ -e " + from + " ] || mv -T -- " + from + " " + to);
  if (!moved) co_return fail(moved.error());
  const auto written = store_->set_snapshot(info.owner, info.spec.logical_key, info.target, place);
  if (!written) co_return written;
  if (!before.empty() && before != place) {
    (void)co_await run_there(info.id, "rm -rf -- " + shell::single_quote(before));
  }
  co_return Result<void>();
}

Task<Result<void>> Sandboxes::keep_container(SandboxPtr sandbox) {
  const SandboxInfo& info = sandbox->stored.info;
  const std::string directory = services_.settings.config()->home + "/talaria/snapshots";
  if (const auto made = os::make_private_directory(directory); !made) co_return made;
  const auto environment = co_await services_.environments.get(info.id);
  if (!environment) co_return fail(environment.error());
  const std::string file = directory + "/" + snapshot_name(info) + ".tar";
  const auto saved = co_await save_archive(**environment, runner_for(info.id),
                                           exec_directory(info, std::nullopt), file);
  if (!saved) co_return saved;
  const auto before = store_->snapshot(info.owner, info.spec.logical_key, info.target);
  const auto written = store_->set_snapshot(info.owner, info.spec.logical_key, info.target, file);
  if (!written) co_return written;
  if (before && !before->empty() && *before != file) os::remove_file(*before);
  co_return Result<void>();
}

Task<Termination> Sandboxes::end(SandboxPtr sandbox, bool snapshot) {
  SandboxInfo& info = sandbox->stored.info;
  const bool kept = snapshot && info.spec.persistent && !info.spec.logical_key.empty();
  info.state = SandboxState::terminating;
  sandbox->ending = std::make_unique<AsyncEvent>();
  (void)store_->set_terminating(info.id, kept);
  services_.policy.approvals().clear_session(info.id);
  co_await end_all_in(info.id);
  if (kept) {
    const auto kept_now = co_await keep(sandbox);
    if (!kept_now) sandbox->left.snapshot_error = kept_now.error().message();
  }
  co_await remove_place(sandbox);
  services_.settings.clear_override(info.id);
  std::erase_if(live_, [&](const auto& one) { return one.first.first == info.id; });
  if (!store_->set_terminated(info.id)) unwritten_ends_.insert(info.id);
  info.state = SandboxState::terminated;
  sandboxes_.erase(info.id);
  std::exchange(sandbox->ending, nullptr)->notify_all();
  co_return sandbox->left;
}

Task<Result<Termination>> Sandboxes::terminate(std::string owner, std::string id, bool snapshot) {
  const auto found = own(owner, id);
  if (!found) {
    const auto before = store_->find(id);
    const bool was_own = before && *before && (*before)->info.owner == owner;
    if (was_own) co_return Termination();
    co_return fail(found.error());
  }
  const SandboxPtr sandbox = *found;
  while (sandbox->made) co_await sandbox->made->wait();
  if (sandbox->failure) co_return Termination();
  // Asked for again: it is over when it is over, so that the next one finds the snapshot.
  while (sandbox->ending) co_await sandbox->ending->wait();
  if (sandbox->stored.info.state >= SandboxState::terminating) co_return sandbox->left;
  co_return co_await end(sandbox, snapshot);
}

std::optional<Clock::time_point> Sandboxes::time_of_end(const Sandbox& sandbox) const {
  const SandboxInfo& info = sandbox.stored.info;
  // We were stopped while it was made, and whoever wanted it has not asked again.
  if (info.state == SandboxState::creating && !sandbox.made) return info.created + kMakingTime;
  if (info.state != SandboxState::running) return std::nullopt;
  std::optional<Clock::time_point> end;
  if (info.spec.lifetime.count() > 0) end = info.created + info.spec.lifetime;
  if (info.spec.idle.count() > 0 && sandbox.live == 0) {
    const auto idle = info.last_use + info.spec.idle;
    end = end ? std::min(*end, idle) : idle;
  }
  return end;
}

// What could not be written down is tried again, and what is too old is forgotten.
void Sandboxes::tidy() {
  for (const auto& [key, live] : std::map<ExecKey, LivePtr>(live_)) {
    if (live->ended()) write_end(live);
  }
  std::erase_if(unwritten_ends_,
                [&](const std::string& id) { return store_->set_terminated(id).has_value(); });
  const auto now = Clock::now();
  if (now - pruned_ < kPruneEvery && now >= pruned_) return;
  pruned_ = now;
  (void)store_->prune(now - kSandboxRetention);
}

Task<void> Sandboxes::watch_times() {
  for (;;) {
    tidy();
    const auto now = Clock::now();
    auto next = now + kTidyEvery;
    for (const auto& [id, sandbox] : std::map<std::string, SandboxPtr>(sandboxes_)) {
      const auto idle = sandbox->stored.info.spec.idle;
      if (idle.count() > 0) next = std::min(next, now + idle);  // a command may end at once
      const auto end_at = time_of_end(*sandbox);
      if (!end_at) continue;
      if (*end_at <= now) {
        // Side by side: one with commands that will not go holds up none of the others.
        spawn(executor_, [](std::shared_ptr<Sandboxes> self, SandboxPtr one) -> Task<void> {
          if (one->stored.info.state >= SandboxState::terminating) co_return;
          (void)co_await self->end(std::move(one), true);
        }(shared_from_this(), sandbox));
      } else {
        next = std::min(next, *end_at);
      }
    }
    times_.expires_after(std::max<Clock::duration>(next - Clock::now(), kSandboxLook));
    co_await times_.async_wait(as_values);
  }
}

}  // namespace talaria::sandboxes
