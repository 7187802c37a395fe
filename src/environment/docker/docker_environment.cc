#include "environment/docker/docker_environment.h"

#include <boost/asio/this_coro.hpp>

#include "environment/docker/container.h"
#include "environment/docker/engine.h"
#include "environment/link_environment.h"

namespace talaria {

Result<void> check_docker(const DockerOptions& options) {
  const auto program = find_engine(options.target, options.binary);
  if (!program) return fail(program.error());
  return {};
}

Task<Result<std::unique_ptr<Environment>>> make_docker_environment(DockerOptions options) {
  const auto program = find_engine(options.target, options.binary);
  if (!program) co_return fail(program.error());
  if (options.image.empty()) {
    co_return fail(ErrorKind::bad_request, "TERMINAL_DOCKER_IMAGE: an image is required");
  }
  const auto executor = co_await asio::this_coro::executor;
  const Engine engine(program->path);
  const auto container = std::make_shared<Container>(executor, engine, options);
  if (!program->notice.empty()) container->tell(program->notice);
  if (!container->take_known()) {
    if (const auto acquired = co_await container->acquire(); !acquired) {
      co_return fail(acquired.error());
    }
  }
  co_return std::make_unique<LinkEnvironment>(
      executor,
      LinkEnvironment::Options{
          .target = options.target,
          .place = [container] { return container->place(); },
          .persistent = options.persistent,
          .close = [container](bool remove) { return container->close(remove); },
          .news = [container] { return container->take_news(); },
          .used = [container] { container->used(); },
          .elsewhere = true,
          .login = options.login},
      [container] { return container->connect(); });
}

}  // namespace talaria
