// The pools of docker and podman: containers that wait for a task. They are made like those of a
// task, except for what is named after it.
#pragma once

#include <string>

#include "environment/carrier/carrier.h"
#include "environment/docker/engine.h"
#include "environment/environment_spec.h"
#include "environment/warm_pool.h"

namespace talaria::environment::docker {

// Whether containers with these settings can wait: their files are kept in a directory of this
// machine, where their runner is reached, too.
bool can_have_pool(const EnvironmentSpec& spec);

// The pool for containers with these settings.
PoolSpec container_pool(const asio::any_io_executor& executor, const Engine& engine,
                        const DockerConfig& config, const EnvironmentSpec& spec);

// Where the runner in a container is; `runner` is the name of its directory.
carrier::RunnerPlaces container_places(const std::string& runner);

// How it is reached.
carrier::CarrierOptions container_carrier(const Engine& engine, const std::string& id,
                                          const std::string& runner, std::chrono::seconds lifetime);

}  // namespace talaria::environment::docker
