#include "environment/docker/docker_environment.h"

#include <boost/asio/this_coro.hpp>

#include "environment/docker/container.h"
#include "environment/docker/container_pool.h"
#include "environment/docker/engine.h"
#include "environment/link_environment.h"

namespace talaria::environment::docker {

namespace {

// The engine would take some for options.
Result<void> check_image(const std::string& image) {
  if (image.empty()) {
    return fail(ErrorKind::bad_request, "TERMINAL_DOCKER_IMAGE: an image is required");
  }
  const bool is_option = image.starts_with('-');
  if (is_option || image.find_first_of(" \t\n") != std::string::npos) {
    return fail(ErrorKind::bad_request,
                "TERMINAL_DOCKER_IMAGE: '" + image + "' is not an image: it " +
                    (is_option ? "begins with '-'" : "contains white space"));
  }
  return {};
}

}  // namespace

Result<void> check_docker(const DockerConfig& config, const std::string& target) {
  const auto program = find_engine(target, config.binary);
  if (!program) return fail(program.error());
  return {};
}

Task<Result<void>> reach_docker(DockerConfig config, std::string target) {
  const auto program = find_engine(target, config.binary);
  if (!program) co_return fail(program.error());
  const Engine engine(*program);
  co_return co_await engine.check();
}

Task<Result<std::unique_ptr<Environment>>> make_docker_environment(DockerConfig config,
                                                                   EnvironmentSpec spec,
                                                                   std::shared_ptr<WarmPool> pool) {
  const auto program = find_engine(spec.target, config.binary);
  if (!program) co_return fail(program.error());
  if (const auto image = check_image(config.image); !image) co_return fail(image.error());
  const auto executor = co_await asio::this_coro::executor;
  const Engine engine(*program);
  const auto container = std::make_shared<Container>(executor, engine, config, spec, pool);
  if (!container->take_known()) {
    if (const auto acquired = co_await container->acquire(); !acquired) {
      co_return fail(acquired.error());
    }
  }
  TargetOptions options = target_options(container);
  // A container that is found again may have been restarted meanwhile, by anybody.
  const bool found_again = config.persist_across_processes || spec.existing;
  if (found_again && !spec.container.persistent) options.sessions = spec.sessions;
  options.reach_socket = [weak = std::weak_ptr(container)](const std::string& name) {
    const auto container = weak.lock();
    return container ? container->reach_socket(name)
                     : fail(ErrorKind::unavailable, "the environment was closed");
  };
  co_return std::make_unique<LinkEnvironment>(executor, std::move(options),
                                              [container] { return container->connect(); });
}

void fill_docker_pool(const asio::any_io_executor& executor, const DockerConfig& config,
                      const EnvironmentSpec& spec, WarmPool& pool) {
  if (spec.container.pool_size == 0 || !can_have_pool(spec) || !check_image(config.image)) return;
  const auto program = find_engine(spec.target, config.binary);
  if (program) pool.want(container_pool(executor, Engine(*program), config, spec));
}

}  // namespace talaria::environment::docker
