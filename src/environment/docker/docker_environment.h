// Docker and podman as targets: a hardened container per environment, reached by `docker exec -i`.
#pragma once

#include <memory>

#include "environment/environment_spec.h"
#include "environment/warm_pool.h"

namespace talaria::environment::docker {

// Whether there is an engine for the target "docker" or "podman"; it is not asked anything.
Result<void> check_docker(const DockerConfig& config, const std::string& target);

// Whether the engine answers; the error says what to do if not.
Task<Result<void>> reach_docker(DockerConfig config, std::string target);

// Finds or makes the container, or takes it from the pool, which may be null. The error says what
// the engine said.
Task<Result<std::unique_ptr<Environment>>> make_docker_environment(
    DockerConfig config, EnvironmentSpec spec, std::shared_ptr<WarmPool> pool = nullptr);

// Fills the pool of these settings from now on, if they ask for one.
void fill_docker_pool(const asio::any_io_executor& executor, const DockerConfig& config,
                      const EnvironmentSpec& spec, WarmPool& pool);

}  // namespace talaria::environment::docker
