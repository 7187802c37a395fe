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

Task<Result<std::unique_ptr<Environment>>> make_singularity_environment(SingularityConfig config,
                                                                        EnvironmentSpec spec) {
  auto engine = SingularityEngine::find();
  if (!engine) co_return fail(engine.error());
  const auto executor = co_await asio::this_coro::executor;
  LinkEnvironment::Options link{.target = "singularity",
                                .persistent = spec.container.persistent,
                                .elsewhere = true,
                                .login = spec.login};
  const auto instance = std::make_shared<SingularityInstance>(executor, std::move(*engine),
                                                              std::move(config), std::move(spec));
  if (const auto there = co_await instance->find_or_start(); !there) co_return fail(there.error());
  link.place = [instance] { return instance->place(); };
  link.limits = [instance] { return instance->limits(); };
  link.news = [instance] { return instance->take_news(); };
  link.used = [instance] { instance->used(); };
  link.close = [instance](bool remove) { return instance->close(remove); };
  co_return std::make_unique<LinkEnvironment>(executor, std::move(link),
                                              [instance] { return instance->connect(); });
}

}  // namespace talaria::environment::singularity
