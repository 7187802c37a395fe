#include "environment/singularity/instance.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text.h"
#include "environment/carrier/idle_runner.h"
#include "environment/runner_image.h"
#include "environment/singularity/names.h"
#include "environment/singularity/sif.h"
#include "environment/singularity/snapshots.h"
#include "environment/wait_for_lock.h"
#include "os/machine.h"
#include "shell/quote.h"

namespace talaria {
namespace {

// Where the instance sees our runners.
constexpr const char* kMountedRunners = "/opt/talaria-runner";

// An engine may take two minutes to start an instance, and ten to build its image.
constexpr std::chrono::seconds kLockPatience{15 * 60};

// Which limits there can be is up to the machine's control groups and what the user may do there.
bool is_about_limits(const std::string& complaint) {
  return lower_case(complaint).contains("cgroup");
}

}  // namespace

SingularityInstance::SingularityInstance(asio::any_io_executor executor, SingularityEngine engine,
                                         SingularityOptions options)
    : executor_(std::move(executor)),
      engine_(std::move(engine)),
      options_(std::move(options)),
      place_(options_.home, options_.task) {}

// What decides how an instance is started, as the configuration has it.
std::vector<std::string> SingularityInstance::wanted_arguments() const {
  return instance_arguments({.image = options_.image,
                             .overlay = options_.persistent ? "kept" : "",
                             .binds = options_.shared,
                             .memory_mb = options_.memory_mb,
                             .cpus = options_.cpus},
                            "");
}

void SingularityInstance::use(const std::string& name) {
  name_ = name;
  CarrierOptions carrier{
      // Our variables stay here, and our directory means nothing there.
      .command = single_quote(engine_.program()) + " exec --cleanenv --pwd / instance://" + name,
      .places = {.mounted = kMountedRunners},
      .lifetime = options_.lifetime};
  carrier_ = std::make_shared<Carrier>(executor_, std::move(carrier));
}

Task<Result<void>> SingularityInstance::find_or_start() {
  if (const auto made = place_.make(); !made) co_return fail(made.error());
  // Whether it still lives is found out when it is used.
  if (const auto lease = place_.read(); lease) {
    use(lease->instance);
    if (lease->arguments != wanted_arguments()) {
      news_.push_back("Instance " + name_ +
                      " was started with another configuration (image, limits, persistence or "
                      "shared files) and is used as it is. Remove it to have the present one.");
    }
    co_return Result<void>();
  }
  if (options_.existing) {
    co_return fail(ErrorKind::not_found, "there is no instance of task '" + options_.task + "'");
  }
  co_return co_await replace("");
}

Task<Result<ByteStream>> SingularityInstance::connect() {
  const auto carrier = carrier_;  // a copy: close() may come meanwhile
  auto stream = co_await carrier->connect();
  if (!stream) {
    const std::string gone = name_;
    const auto running = co_await engine_.is_running(gone);
    if (!running || *running) co_return fail(stream.error());
    if (const auto replaced = co_await replace(gone); !replaced) co_return fail(replaced.error());
    news_.push_back("Instance " + gone + " was gone. " +
                    (options_.persistent ? "Another one has its files: "
                                         : "Another one was started, without its files: ") +
                    name_ + ".");
    stream = co_await carrier_->connect();
  }
  if (stream) place_.touch();
  co_return stream;
}

// Has an instance that is not `gone`: the one another process has started meanwhile, else a new
// one.
Task<Result<void>> SingularityInstance::replace(std::string gone) {
  const auto lock = co_await wait_for_lock(place_.lock(), kLockPatience);
  if (!lock) co_return fail(ErrorKind::unavailable, lock.error().message());
  const auto lease = place_.read();
  if (lease && lease->instance != gone) {
    const auto running = co_await engine_.is_running(lease->instance);
    if (!running) co_return fail(running.error());
    if (*running) {
      use(lease->instance);
      co_return Result<void>();
    }
  }
  co_return co_await start();
}

Task<Result<void>> SingularityInstance::start() {
  if (const auto works = co_await engine_.check(); !works) co_return fail(works.error());
  const auto spec = co_await make_spec();
  if (!spec) co_return fail(spec.error());
  std::ranges::copy(options_.notices, std::back_inserter(news_));
  const std::string name = new_instance_name();
  if (const auto started = co_await start_with_limits(*spec, name); !started) {
    (void)co_await engine_.stop(name);  // it may have come up too late
    co_return fail(started.error());
  }
  const auto noted = place_.write({.task = options_.task,
                                   .instance = name,
                                   .program = engine_.program(),
                                   .arguments = wanted_arguments()});
  if (!noted) {
    (void)co_await engine_.stop(name);  // nobody would find it again
    co_return fail(noted.error());
  }
  use(name);
  co_return Result<void>();
}

Task<Result<InstanceSpec>> SingularityInstance::make_spec() {
  const auto scratch = make_scratch(options_.scratch);
  if (!scratch) co_return fail(scratch.error());
  if (auto much = co_await disk_warning(scratch->directory, options_.disk_warning_gb);
      !much.empty()) {
    news_.push_back(std::move(much));
  }
  InstanceSpec spec{.memory_mb = options_.memory_mb, .cpus = options_.cpus};
  if (options_.persistent) {
    auto overlay = make_overlay(*scratch, options_.task);
    if (!overlay) co_return fail(overlay.error());
    spec.overlay = std::move(*overlay);
  }

  const auto image = runner_image(machine_name());
  const std::string runners = options_.home + "/talaria/bin";
  if (!image) co_return fail(image.error());
  if (const auto written = install_runner(*image, runners); !written) {
    co_return fail(written.error());
  }
  spec.binds.push_back({runners, kMountedRunners});
  for (const BoundPath& bind : options_.shared) {
    if (can_be_bound(bind)) {
      spec.binds.push_back(bind);
    } else {
      news_.push_back("The instance does not get " + bind.host +
                      ": the engine takes ',' and ':' in a path for separators.");
    }
  }
  if (!can_be_bound(spec.binds.front())) spec.binds.erase(spec.binds.begin());  // it is delivered

  ChosenImage chosen = co_await choose_image(engine_, options_.image, scratch->cache);
  spec.image = std::move(chosen.image);
  std::ranges::move(chosen.notices, std::back_inserter(news_));
  co_return spec;
}

Task<Result<void>> SingularityInstance::start_with_limits(InstanceSpec spec, std::string name) {
  auto started = co_await engine_.start(spec, name);
  if (started || !has_limits(spec) || !is_about_limits(started.error().message())) {
    co_return started;
  }
  const std::string why = started.error().message();
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

// Nobody has used it for as long as things may lie idle.
bool SingularityInstance::is_forgotten() const {
  const auto last_use = place_.last_use();
  return !last_use || std::chrono::system_clock::now() - *last_use >= options_.lifetime;
}

Task<Result<void>> SingularityInstance::stop_if_ours(bool always) {
  if (!always && options_.persistent && !is_forgotten()) co_return Result<void>();
  const auto lock = co_await wait_for_lock(place_.lock(), kLockPatience);
  if (!lock) co_return fail(lock.error());
  const auto lease = place_.read();
  if (!lease || lease->instance != name_) co_return Result<void>();
  if (!always) {
    const auto idle = co_await is_runner_idle(carrier_);
    if (idle && !*idle) co_return Result<void>();  // others need it
  }
  const auto stopped = co_await engine_.stop(name_);
  if (stopped) place_.remove();
  co_return stopped;
}

Task<Result<void>> SingularityInstance::close(bool remove) {
  if (const auto stopped = co_await stop_if_ours(remove); !stopped) {
    co_return fail(stopped.error());
  }
  if (!options_.persistent) co_return Result<void>();
  const auto scratch = make_scratch(options_.scratch);
  if (!scratch) co_return fail(scratch.error());
  const auto overlay = make_overlay(*scratch, options_.task);
  if (!overlay) co_return fail(overlay.error());
  co_return co_await note_snapshot(options_.home, options_.task, *overlay);
}

std::vector<std::string> SingularityInstance::take_news() {
  place_.touch();  // a command has just been run
  return std::exchange(news_, {});
}

}  // namespace talaria
