#include "environment/singularity/instance_maker.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text.h"
#include "environment/runner_image.h"
#include "environment/singularity/sif.h"
#include "os/own_process.h"
#include "shell/quote.h"

namespace talaria::environment::singularity {
namespace {

// Where the instance sees our runners.
constexpr const char* kMountedRunners = "/opt/talaria-runner";

// Which limits are possible depends on the control groups of the machine and the rights of the
// user.
bool is_about_limits(const std::string& complaint) {
  return lower_case(complaint).contains("cgroup");
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

Result<Scratch> InstanceMaker::scratch() const {
  return make_scratch(scratch_rules(config_, spec_.sandbox_dir));
}

std::string InstanceMaker::settings() const {
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

Task<Result<InstanceSpec>> InstanceMaker::prepare(std::string overlay) {
  const auto scratch = this->scratch();
  if (!scratch) co_return fail(scratch.error());
  if (auto much = co_await disk_warning(scratch->directory, config_.disk_warning_gb);
      !much.empty()) {
    news_.push_back(std::move(much));
  }
  InstanceSpec spec{.overlay = std::move(overlay),
                    .memory_mb = spec_.container.memory_mb,
                    .cpus = spec_.container.cpu};

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

Task<Result<void>> InstanceMaker::start(InstanceSpec spec, std::string name) {
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

}  // namespace talaria::environment::singularity
