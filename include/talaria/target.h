// Targets: the kinds of places where commands run.
#pragma once

#include <talaria/export.h>

#include <optional>
#include <string>
#include <string_view>

namespace talaria {

enum class Target { local, docker, podman, singularity, ssh, carrier, managed, modal, daytona };

// As in TERMINAL_ENV, Outcome::target and everywhere else: "local", "docker", ...
TALARIA_API std::string_view target_name(Target target);
TALARIA_API std::optional<Target> target_of(std::string_view name);

// Where one task is to be (Runtime::override_task). What is not said is as configured.
struct TaskPlace {
  std::optional<Target> target = {};
  std::string cwd = {};
  std::string image = {};  // of containers and sandboxes
  double cpu = 0;          // of these; this and the next two: 0 means as configured
  double memory_mib = 0;
  double disk_mib = 0;
};

}  // namespace talaria
