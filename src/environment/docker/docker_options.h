// What a container of the docker and podman targets is to be.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/gate.h"
#include "environment/bound_path.h"
#include "environment/environment.h"
#include "environment/long_work.h"

namespace talaria::environment::docker {

struct DockerOptions {
  std::string target = "docker";  // or "podman"
  std::string binary;             // what the user says the engine's program is; empty: as found
  std::string home;               // Talaria's; below it are leases and the runner's program
  std::string sandbox_dir;        // what a persistent container keeps is in <sandbox_dir>/docker
  std::string profile = "default";
  std::string task = "default";  // the environment's id
  bool existing = false;         // none is made: not_found if there is none

  std::string image;
  std::string cwd = "/root";
  double cpu = 0;              // 0: no limit
  std::int64_t memory_mb = 0;  // 0: no limit
  std::int64_t disk_mb = 0;    // 0: no limit
  bool says_disk = true;       // somebody asked for that limit, and wants to know if it fails
  bool persistent = false;     // /root and /workspace are directories of this machine
  std::vector<std::string> volumes;
  std::map<std::string, std::string> env;
  bool network = true;
  std::string host_cwd;  // a directory of this machine to be /workspace; empty: none
  bool run_as_host_user = false;
  std::vector<std::string> extra_args;
  bool persist_across_processes = true;  // it is left running and found again
  std::vector<BoundPath> shared;         // that it can read

  Progress progress;                 // told of a pull
  std::shared_ptr<Gate> gate;        // of those who ask the engine much at once; may be null
  std::vector<std::string> notices;  // of the configuration, for whoever makes a container of it
  std::chrono::seconds lifetime{0};  // of its runner, when idle
  LoginFiles login;
};

}  // namespace talaria::environment::docker
