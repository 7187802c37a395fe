#include "environment/singularity/singularity_environment.h"

#include <utility>

#include <boost/asio/this_coro.hpp>

#include "environment/link_environment.h"
#include "environment/singularity/instance.h"

namespace talaria::environment::singularity {

Result<void> check_singularity() {
  const auto engine = SingularityEngine::find();
  if (!engine) return fail(engine.error());
  return {};
}

Task<Result<void>> reach_singularity() {
  const auto engine = SingularityEngine::find();
  if (!engine) co_return fail(engine.error());
  co_return co_await engine->check();
}

Task<Result<std::unique_ptr<Environment>>> make_singularity_environment(SingularityConfig config,
                                                                        EnvironmentSpec spec) {
  auto engine = SingularityEngine::find();
  if (!engine) co_return fail(engine.error());
  const auto executor = co_await asio::this_coro::executor;
  const auto instance = std::make_shared<SingularityInstance>(executor, std::move(*engine),
                                                              std::move(config), std::move(spec));
  if (const auto there = co_await instance->find_or_start(); !there) co_return fail(there.error());
  TargetOptions options = target_options(instance);
  options.target = "singularity";
  co_return std::make_unique<LinkEnvironment>(executor, std::move(options),
                                              [instance] { return instance->connect(); });
}

}  // namespace talaria::environment::singularity
