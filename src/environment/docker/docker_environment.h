// Docker and podman as targets: a hardened container per environment, reached by `docker exec -i`.
#pragma once

#include <memory>

#include "environment/docker/docker_options.h"
#include "environment/environment.h"

namespace talaria::environment::docker {

// Whether an engine could be asked, as far as can be told without asking it.
Result<void> check_docker(const DockerOptions& options);

// Finds or makes the container. The error says what the engine said.
Task<Result<std::unique_ptr<Environment>>> make_docker_environment(DockerOptions options);

}  // namespace talaria::environment::docker
