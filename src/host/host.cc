#include "host/host.h"

#include <algorithm>
#include <array>
#include <utility>

#include "host/child_env.h"

namespace talaria {
namespace {

// Every name TERMINAL_ENV may hold, so that one we cannot serve yet is told from a slip of the pen.
constexpr auto kKnownTargets = std::to_array<std::string_view>(
    {"local", "docker", "podman", "singularity", "modal", "daytona", "ssh", "managed"});

// Which environment a task lives in. All share one; a task gets its own only by an override that
// asks for another image or target, and there are none yet.
std::string environment_id(const std::string& /*task*/) { return std::string(kDefaultTask); }

Error not_served(const Config& config, const std::vector<Backend>& backends) {
  const std::string& target = config.target;
  std::string served;
  for (const Backend& backend : backends) served += (served.empty() ? "" : ", ") + backend.name;
  const bool known = std::ranges::find(kKnownTargets, target) != kKnownTargets.end();
  return Error(
      ErrorKind::bad_request,
      (known ? config.target_name + " is '" + target + "', which this Talaria cannot serve yet."
             : "Unknown " + config.target_name + " '" + target + "'.") +
          " Use one of: " + served + ".");
}

// Without a configuration nothing is run, so it does not matter then.
ChildEnvOptions child_env_options(const Result<Config>& config) {
  if (!config) return {};
  return {.home = {.mode = config->home_mode, .profile_home = config->home + "/home"}};
}

}  // namespace

Host::Host(Caller caller, Result<Config> config, std::vector<Backend> backends)
    : caller_(std::move(caller)),
      config_(std::move(config)),
      target_(config_ ? config_->target : configured_target(caller_)),
      backends_(std::move(backends)),
      child_env_(talaria::child_env(caller_, child_env_options(config_))) {}

Task<Result<std::shared_ptr<Environment>>> Host::environment(std::string task) {
  if (!config_) co_return fail(config_.error());
  const std::string id = environment_id(task);
  if (const auto found = environments_.find(id); found != environments_.end()) {
    co_return found->second;
  }
  Result<std::shared_ptr<Environment>> made = make(*config_);
  if (made) environments_.emplace(id, *made);
  co_return made;
}

Result<std::shared_ptr<Environment>> Host::make(const Config& config) const {
  const auto backend = std::ranges::find(backends_, config.target, &Backend::name);
  if (backend == backends_.end()) return fail(not_served(config, backends_));
  Result<std::unique_ptr<Environment>> made = backend->make(config);
  if (!made) return fail(made.error());
  return std::shared_ptr<Environment>(std::move(*made));
}

}  // namespace talaria
