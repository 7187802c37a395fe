#include "environment/singularity/instance.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <utility>

#include "base/text.h"
#include "environment/carrier/idle_runner.h"
#include "environment/runner_image.h"
#include "environment/singularity/names.h"
#include "environment/singularity/sif.h"
#include "environment/singularity/snapshots.h"
#include "environment/task_lease.h"
#include "os/own_process.h"
#include "shell/quote.h"

namespace talaria::environment::singularity {
namespace {

// Where the instance sees our runners.
constexpr const char* kMountedRunners = "/opt/talaria-runner";

// An engine may take two minutes to start an instance, and ten to build its image.
constexpr std::chrono::seconds kLockPatience{15 * 60};

// Which limits are possible depends on the control groups of the machine and the rights of the
// user.
bool is_about_limits(const std::string& complaint) {
  return lower_case(complaint).contains("cgroup");
}

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

carrier::CarrierOptions instance_carrier(const SingularityEngine& engine, const std::string& name,
                                         std::chrono::seconds lifetime) {
  return {// Our variables must not be passed on, and our directory does not exist there.
          .command =
              shell::single_quote(engine.program()) + " exec --cleanenv --pwd / instance://" + name,
          .places = {.mounted = kMountedRunners},
          .lifetime = lifetime};
}

SingularityInstance::SingularityInstance(asio::any_io_executor executor, SingularityEngine engine,
                                         SingularityConfig config, EnvironmentSpec spec)
    : TargetInstance(std::move(spec)),
      executor_(std::move(executor)),
      engine_(std::move(engine)),
      config_(std::move(config)) {}

Result<Scratch> SingularityInstance::scratch() const {
  return make_scratch(scratch_rules(config_, spec_.sandbox_dir));
}

// The settings that decide how an instance is started.
std::string SingularityInstance::wanted_settings() const {
  const std::vector<std::string> arguments =
      instance_arguments({.image = config_.image,
                          .overlay = spec_.container.persistent ? "kept" : "",
                          .binds = spec_.mounts,
                          .memory_mb = spec_.container.memory_mb,
                          .cpus = spec_.container.cpu},
                         "");
  std::string line;
  for (const std::string& one : arguments) line += (line.empty() ? "" : " ") + one;
  return line;
}

LeaseFacts SingularityInstance::lease_facts(const std::string& name) const {
  return {.kind = std::string(kInstanceLease),
          .id = name,
          .name = name,
          .target = "singularity",
          .engine = engine_.identity(),
          .task = spec_.task,
          .keep = spec_.container.persistent,
          .extra = wanted_settings()};
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
  // Whether it still lives is found out when it is used.
  if (const auto taken = use(ours.front().facts.id); !taken) co_return fail(taken.error());
  if (lease_->facts().extra != wanted_settings()) {
    news_.push_back("Instance " + name_ +
                    " was started with another configuration (image, limits, persistence or "
                    "shared files) and is used unchanged. `talaria env rm " +
                    spec_.task +
                    " --yes` removes it; the next command starts one with the current settings.");
  }
  co_return Result<void>();
}

Task<Result<link::ByteStream>> SingularityInstance::connect() {
  if (!carrier_) co_return was_closed();
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
    if (*running) co_return use(lease.facts.id);
    forget_lease(spec_.home, lease.facts);
  }
  co_return co_await start();
}

Task<Result<void>> SingularityInstance::start() {
  if (const auto works = co_await engine_.check(); !works) co_return fail(works.error());
  const auto spec = co_await make_spec();
  if (!spec) co_return fail(spec.error());
  std::ranges::copy(spec_.notices, std::back_inserter(news_));
  const std::string name = new_instance_name();
  // Recorded before it exists: if we are killed now, the instance is found again.
  if (const auto noted = use(name); !noted) co_return fail(noted.error());
  const auto started = co_await start_with_limits(*spec, name);
  if (started) co_return Result<void>();
  (void)co_await engine_.stop(name);  // it may have come up too late
  forget_lease(spec_.home, lease_->facts());
  lease_.reset();
  carrier_.reset();
  co_return fail(started.error());
}

Task<Result<InstanceSpec>> SingularityInstance::make_spec() {
  const auto scratch = this->scratch();
  if (!scratch) co_return fail(scratch.error());
  if (auto much = co_await disk_warning(scratch->directory, config_.disk_warning_gb);
      !much.empty()) {
    news_.push_back(std::move(much));
  }
  InstanceSpec spec{.memory_mb = spec_.container.memory_mb, .cpus = spec_.container.cpu};
  if (spec_.container.persistent) {
    auto overlay = make_overlay(*scratch, spec_.task);
    if (!overlay) co_return fail(overlay.error());
    spec.overlay = std::move(*overlay);
  }

  const auto image = runner_image(os::machine_name());
  const std::string runners = spec_.home + "/talaria/bin";
  if (!image) co_return fail(image.error());
  if (const auto written = install_runner(*image, runners); !written) {
    co_return fail(written.error());
  }
  spec.binds.push_back({runners, kMountedRunners});
  for (const BoundPath& bind : spec_.mounts) {
    if (can_be_bound(bind)) {
      spec.binds.push_back(bind);
    } else {
      news_.push_back("The instance does not get " + bind.host +
                      ": the engine takes ',' and ':' in a path for separators.");
    }
  }
  if (!can_be_bound(spec.binds.front())) spec.binds.erase(spec.binds.begin());  // it is delivered

  ChosenImage chosen =
      co_await choose_image(engine_, config_.image, scratch->cache, spec_.progress);
  spec.image = std::move(chosen.image);
  std::ranges::move(chosen.notices, std::back_inserter(news_));
  co_return spec;
}

Task<Result<void>> SingularityInstance::start_with_limits(InstanceSpec spec, std::string name) {
  std::optional<Gate::Pass> turn;
  if (spec_.gate) turn.emplace(co_await Gate::enter(spec_.gate));
  limits_ = {.cpu = spec.cpus, .memory_mb = spec.memory_mb};
  auto started = co_await engine_.start(spec, name);
  if (started || !has_limits(spec) || !is_about_limits(started.error().message())) {
    co_return started;
  }
  const std::string why = started.error().message();
  limits_ = {};
  started = co_await engine_.start(without_limits(std::move(spec)), name);
  if (started) {
    news_.push_back(
        "The instance has no limits of memory and CPU, because this machine refuses "
        "them (TERMINAL_CONTAINER_MEMORY and TERMINAL_CONTAINER_CPU of 0 ask for "
        "none): " +
        why);
  }
  co_return started;
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
  const auto scratch = this->scratch();
  if (!scratch) co_return fail(scratch.error());
  const auto overlay = make_overlay(*scratch, spec_.task);
  if (!overlay) co_return fail(overlay.error());
  if (const auto gone = remove ? remove_sessions(*overlay) : Result<void>(); !gone) {
    co_return fail(gone.error());
  }
  co_return co_await note_snapshot(spec_.home, spec_.task, *overlay);
}

}  // namespace talaria::environment::singularity
