#include "environment/singularity/singularity_environment.h"

#include <utility>

#include <boost/asio/this_coro.hpp>

#include "environment/link_environment.h"
#include "environment/singularity/instance.h"
#include "environment/singularity/instance_pool.h"

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

Task<Result<std::unique_ptr<Environment>>> make_singularity_environment(
    SingularityConfig config, EnvironmentSpec spec, std::shared_ptr<WarmPool> pool) {
  auto engine = SingularityEngine::find();
  if (!engine) co_return fail(engine.error());
  const auto executor = co_await asio::this_coro::executor;
  const auto instance = std::make_shared<SingularityInstance>(
      executor, std::move(*engine), std::move(config), std::move(spec), std::move(pool));
  if (const auto there = co_await instance->find_or_start(); !there) co_return fail(there.error());
  TargetOptions options = target_options(instance);
  options.target = "singularity";
  co_return std::make_unique<LinkEnvironment>(executor, std::move(options),
                                              [instance] { return instance->connect(); });
}

void fill_singularity_pool(const asio::any_io_executor& executor, const SingularityConfig& config,
                           const EnvironmentSpec& spec, WarmPool& pool) {
  if (spec.container.pool_size == 0) return;
  auto engine = SingularityEngine::find();
  if (!engine) return;
  auto wanted = instance_pool(executor, InstanceMaker(std::move(*engine), config, spec));
  if (wanted) pool.want(std::move(*wanted));
}

}  // namespace talaria::environment::singularity
