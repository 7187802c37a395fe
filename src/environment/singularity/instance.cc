#include "environment/singularity/instance.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <utility>

#include "environment/carrier/idle_runner.h"
#include "environment/singularity/instance_pool.h"
#include "environment/singularity/names.h"
#include "environment/singularity/snapshots.h"
#include "environment/task_lease.h"

namespace talaria::environment::singularity {
namespace {

// An engine may take two minutes to start an instance, and ten to build its image.
constexpr std::chrono::seconds kLockPatience{15 * 60};

// The next instance would take over what the runner left in the overlay.
Result<void> remove_sessions(const std::string& overlay) {
  const char* const home = std::getenv("HOME");
  for (const std::string& place : {std::string("/root"), std::string(home ? home : "/root")}) {
    std::error_code error;
    std::filesystem::remove_all(overlay + "/upper" + place + "/.talaria/run", error);
    if (error && error != std::errc::no_such_file_or_directory) {
      return fail(ErrorKind::system, "the instance was stopped, but its sessions are still in " +
                                         overlay + "/upper" + place + ": " + error.message());
    }
  }
  return {};
}

}  // namespace

SingularityInstance::SingularityInstance(asio::any_io_executor executor, SingularityEngine engine,
                                         SingularityConfig config, EnvironmentSpec spec,
                                         std::shared_ptr<WarmPool> pool)
    : TargetInstance(std::move(spec)),
      executor_(std::move(executor)),
      engine_(std::move(engine)),
      maker_(engine_, std::move(config), spec_),
      pool_(std::move(pool)) {}

LeaseFacts SingularityInstance::lease_facts(const std::string& name) const {
  return {.kind = std::string(kInstanceLease),
          .id = name,
          .name = name,
          .target = "singularity",
          .engine = engine_.identity(),
          .task = spec_.task,
          .keep = spec_.container.persistent,
          .extra = maker_.settings()};
}

Result<void> SingularityInstance::use(const std::string& name) {
  if (const auto taken = take_lease(lease_facts(name)); !taken) return taken;
  name_ = name;
  carrier_ = std::make_shared<carrier::Carrier>(executor_,
                                                instance_carrier(engine_, name, spec_.lifetime));
  return {};
}

// One program at a time looks for, makes or ends the instance of a task.
Task<Result<PassingLock>> SingularityInstance::lock() const {
  return turn_to_make(spec_.home, lease_facts(""), {}, kLockPatience);
}

Task<Result<void>> SingularityInstance::find_or_start() {
  const std::vector<KnownLease> ours = leases_like(spec_.home, lease_facts(""));
  if (ours.empty() && spec_.existing) {
    co_return fail(ErrorKind::not_found, "no instance exists for task '" + spec_.task + "'");
  }
  if (ours.empty()) co_return co_await find_running_or_start();
  if (const auto handed = hand_over(ours.front().facts); !handed) co_return fail(handed.error());
  // Whether it still lives is found out when it is used.
  if (const auto taken = use(ours.front().facts.id); !taken) co_return fail(taken.error());
  if (lease_->facts().extra != maker_.settings()) {
    news_.push_back("Instance " + name_ +
                    " was started with another configuration (image, limits, persistence or "
                    "shared files) and is used unchanged. `talaria env rm " +
                    spec_.task +
                    " --yes` removes it; the next command starts one with the current settings.");
  }
  co_return Result<void>();
}

// A task that has files here, or whose files are not kept, gets one of its own.
Task<bool> SingularityInstance::take_from_pool() {
  if (!pool_ || spec_.existing || spec_.container.pool_size == 0) co_return false;
  auto pool = instance_pool(executor_, maker_);
  const auto scratch = maker_.scratch();
  if (!pool || !scratch) co_return false;
  std::error_code ignored;
  const auto overlay = std::filesystem::symlink_status(
      overlay_directory(*scratch, overlay_name(spec_.task)), ignored);
  if (overlay.type() != std::filesystem::file_type::not_found) {
    pool_->want(std::move(*pool));
    co_return false;
  }
  auto taken = co_await pool_->take(std::move(*pool), spec_.task, true);
  if (!taken) co_return false;
  if (!hand_over(taken->facts) || !use(taken->facts.id)) {
    // Then it serves nobody, and the next sweep removes it.
    forget_lease(spec_.home, taken->facts);
    co_return false;
  }
  first_stream_.emplace(std::move(taken->stream));
  std::ranges::copy(spec_.notices, std::back_inserter(news_));
  co_return true;
}

// The overlay of one that was made for a pool becomes the overlay of the task. Also later: the
// program that took it may have been killed before.
Result<void> SingularityInstance::hand_over(const LeaseFacts& facts) const {
  if (facts.pool.empty()) return {};
  const auto scratch = maker_.scratch();
  if (!scratch) return fail(scratch.error());
  return rename_overlay(*scratch, pool_overlay_name(facts.id), overlay_name(spec_.task));
}

Task<Result<link::ByteStream>> SingularityInstance::connect() {
  if (!carrier_) co_return was_closed();
  if (auto first = std::exchange(first_stream_, std::nullopt)) co_return std::move(*first);
  const auto carrier = carrier_;
  auto stream = co_await carrier->connect();
  if (!stream) {
    const std::string gone = name_;
    const auto running = co_await engine_.is_running(gone);
    if (!running || *running) co_return fail(stream.error());
    const auto found = co_await find_running_or_start();
    if (!found) co_return fail(found.error());
    if (closed_) {
      (void)co_await close(false);
      co_return was_closed();
    }
    if (name_ != gone) {
      news_.push_back("Instance " + gone + " was gone. " +
                      (spec_.container.persistent
                           ? "Another one has its files: "
                           : "Another one was started, without its files: ") +
                      name_ + ".");
    }
    stream = co_await std::shared_ptr(carrier_)->connect();
  }
  co_return stream;
}

// Has an instance that runs: the one another process has started meanwhile, else a new one. It may
// be the one that did not run yet when we looked.
Task<Result<void>> SingularityInstance::find_running_or_start() {
  const auto turn = co_await lock();
  if (!turn) co_return fail(turn.error());
  for (const KnownLease& lease : leases_like(spec_.home, lease_facts(""))) {
    const auto running = co_await engine_.is_running(lease.facts.id);
    if (!running) co_return fail(running.error());
    if (const auto handed = hand_over(lease.facts); !handed) co_return fail(handed.error());
    if (*running) co_return use(lease.facts.id);
    forget_lease(spec_.home, lease.facts);
  }
  if (co_await take_from_pool()) co_return Result<void>();
  co_return co_await start();
}

Task<Result<void>> SingularityInstance::start() {
  if (const auto works = co_await engine_.check(); !works) co_return fail(works.error());
  const auto spec = co_await prepare();
  if (!spec) co_return fail(spec.error());
  std::ranges::copy(spec_.notices, std::back_inserter(news_));
  const std::string name = new_instance_name();
  // Recorded before it exists: if we are killed now, the instance is found again.
  if (const auto noted = use(name); !noted) co_return fail(noted.error());
  const auto started = co_await maker_.start(*spec, name);
  add_news();
  if (started) co_return Result<void>();
  (void)co_await engine_.stop(name);  // it may have come up too late
  forget_lease(spec_.home, lease_->facts());
  lease_.reset();
  carrier_.reset();
  co_return fail(started.error());
}

Task<Result<InstanceSpec>> SingularityInstance::prepare() {
  std::string overlay;
  if (spec_.container.persistent) {
    const auto scratch = maker_.scratch();
    if (!scratch) co_return fail(scratch.error());
    auto made = make_overlay(*scratch, overlay_name(spec_.task));
    if (!made) co_return fail(made.error());
    overlay = std::move(*made);
  }
  auto spec = co_await maker_.prepare(std::move(overlay));
  add_news();
  co_return spec;
}

void SingularityInstance::add_news() {
  std::ranges::move(maker_.take_news(), std::back_inserter(news_));
}

Task<Result<void>> SingularityInstance::stop_if_unneeded(bool always) {
  const auto before = find_lease(spec_.home, kInstanceLease, name_);
  if (!before) co_return Result<void>();  // others have ended it
  const bool forgotten = std::chrono::system_clock::now() - before->last_use >= spec_.lifetime;
  if (!always && spec_.container.persistent && !forgotten) co_return Result<void>();
  const auto turn = co_await lock();
  if (!turn) co_return fail(turn.error());
  if (!always) {
    const auto known = find_lease(spec_.home, kInstanceLease, name_);
    if (!known || known->held) co_return Result<void>();
    const auto carrier = std::make_shared<carrier::Carrier>(
        executor_, instance_carrier(engine_, name_, spec_.lifetime));
    const auto idle = co_await carrier::is_runner_idle(carrier);
    if (idle && !*idle) co_return Result<void>();  // a process runs in it
  }
  const auto stopped = co_await engine_.stop(name_);
  if (stopped) forget_lease(spec_.home, before->facts);
  co_return stopped;
}

Task<Result<void>> SingularityInstance::close(bool remove) {
  closed_ = true;
  carrier_.reset();
  lease_.reset();
  if (const auto stopped = co_await stop_if_unneeded(remove); !stopped) {
    co_return fail(stopped.error());
  }
  if (!spec_.container.persistent) co_return Result<void>();
  const auto scratch = maker_.scratch();
  if (!scratch) co_return fail(scratch.error());
  const auto overlay = make_overlay(*scratch, overlay_name(spec_.task));
  if (!overlay) co_return fail(overlay.error());
  if (const auto gone = remove ? remove_sessions(*overlay) : Result<void>(); !gone) {
    co_return fail(gone.error());
  }
  co_return co_await note_snapshot(spec_.home, spec_.task, *overlay);
}

}  // namespace talaria::environment::singularity
