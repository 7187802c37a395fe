// ContainerMaker: makes containers with the settings of one environment, and pulls their image if
// it is missing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/gate.h"
#include "base/result.h"
#include "base/task.h"
#include "environment/docker/engine.h"
#include "environment/docker/engine_note.h"
#include "environment/docker/run_arguments.h"
#include "environment/environment_spec.h"

namespace talaria::environment::docker {

class ContainerMaker {
 public:
  ContainerMaker(Engine engine, DockerConfig config, EnvironmentSpec spec)
      : engine_(std::move(engine)), config_(std::move(config)), spec_(std::move(spec)) {}

  // What is remembered of the image; nothing: it must be looked at.
  std::optional<Engine::Image> remembered_image() const;
  Task<Engine::Image> look_at_image() const { return engine_.look_at(config_.image); }

  struct Made {
    InspectedContainer container;
    std::vector<std::string> notices;
  };
  // `turn`: of the gate. Others have it while the image is pulled.
  Task<Result<Made>> make(Engine::Image image, std::optional<Gate::Pass>& turn, std::string name);
  static std::string new_name();
  Task<std::optional<Gate::Pass>> enter_gate() const;

  // As far as is known.
  bool limits_disk() const;

  // What a container would be made with, except for what belongs to it alone.
  RunArguments common_arguments() const;

 private:
  EngineNote own_init_note() const;
  EngineNote disk_limit_note() const;
  RunFacts common_facts() const;
  Task<bool> can_limit_disk();
  Task<Result<void>> pull(Engine::Image& image);
  Task<Result<Made>> make_now(Engine::Image image, std::string name);
  Task<Result<std::string>> run(RunArguments arguments, Engine::Image image);

  Engine engine_;
  DockerConfig config_;
  EnvironmentSpec spec_;
};

// The directory of this machine with our runner, for containers. Empty: it cannot be mounted, and
// the runner is delivered.
std::string runner_directory(const std::string& home);

}  // namespace talaria::environment::docker
