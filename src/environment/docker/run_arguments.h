// The arguments of `docker run`, in the order upstream Hermes has them. No I/O here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "environment/environment_spec.h"

namespace talaria::environment::docker {

// Where our runners are mounted in a container.
inline constexpr const char* kMountedRunners = "/opt/talaria";

// What was found out before a container is made.
struct RunFacts {
  std::string name;             // hermes-<8 hex>
  bool has_own_init = false;    // the image brings an s6 init, which wants to be the first process
  bool can_limit_disk = false;  // the engine takes --storage-opt size
  std::optional<std::string> user;  // UID:GID to run as; absent: the image's
  std::string task_directory;       // see task_directory.h; empty: no files are kept
  std::string runners;      // a directory of this machine with our runner; empty: not mounted
  bool mounts_cwd = false;  // DockerConfig::host_cwd is a directory
  std::string start;        // script that the container begins with; empty: none
};

struct RunArguments {
  std::vector<std::string> argv;       // of the command line, after the engine's program
  std::vector<std::string> variables;  // NAME=value for that program: what `-e NAME` takes from it
  std::vector<std::string> notices;    // what was left out, and why
};

RunArguments run_arguments(const DockerConfig& config, const EnvironmentSpec& spec,
                           const RunFacts& facts);

// Whether a volume of the user's is at /workspace, or below it.
bool has_own_workspace(const DockerConfig& config);

// As upstream writes a number: "1" for 1.0 and "0.5".
std::string number_text(double number);

}  // namespace talaria::environment::docker
