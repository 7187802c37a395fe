// What the configuration says about each kind of target. host/config reads it; a backend takes its
// own struct and an EnvironmentSpec.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/secret.h"

namespace talaria::environment {

// Resources of a container or sandbox. 0: no limit, or the default of the service.
struct ContainerConfig {
  double cpu = 1;
  bool cpu_is_set = false;  // by the user; else it is the default. Likewise below
  std::int64_t memory_mb = 5120;
  bool memory_is_set = false;
  std::int64_t disk_mb = 51200;
  bool disk_is_set = false;
  bool persistent = true;     // its files are kept
  std::size_t pool_size = 0;  // how many wait for a task
};

// A file or directory of this machine that a container shows under another name, read-only
// (`-v host:container:ro`, `--bind host:container:ro`).
struct BoundPath {
  std::string host;
  std::string container;
  friend bool operator==(const BoundPath&, const BoundPath&) = default;
};

// Any command that runs a program elsewhere, and how such commands are used for every target that
// has one (TERMINAL_CARRIER_MODE).
struct CarrierConfig {
  std::string command;           // "docker exec -i BOX"
  bool joins_arguments = false;  // it is ssh, which passes one line to a shell
  bool batches = false;          // one run of it per exchange
  bool plain = false;            // without a runner at the target, even if one could run there
};

struct DockerConfig {
  std::string binary;  // HERMES_DOCKER_BINARY; empty: the engine is searched for
  std::string image;
  std::vector<std::string> forward_env;  // names, checked
  std::map<std::string, std::string> env;
  std::vector<std::string> volumes;
  std::vector<std::string> extra_args;
  bool network = true;
  std::string host_cwd;  // a directory of this machine that is mounted as /workspace; empty: none
  bool run_as_host_user = false;
  bool persist_across_processes = true;  // it keeps running and is found again
  bool reap_orphans = true;
};

struct SingularityConfig {
  std::string image;
  std::string scratch_dir;  // empty: see make_scratch(), here and below
  std::string cache_dir;
  double disk_warning_gb = 500;
};

struct SshConfig {
  std::string host;
  std::string user;
  int port = 22;            // 22: as ssh's configuration says
  std::string key;          // the file of a private key; empty: as ssh finds one
  std::string config_file;  // in place of the user's and the system's; empty: those

  std::string login() const { return user + "@" + host; }
  std::string address() const { return login() + (port == 22 ? "" : ":" + std::to_string(port)); }
};

// Sandboxes that an HTTP gateway makes for us.
struct ManagedConfig {
  bool chosen = false;  // commands go through the gateway
  std::string problem;  // why it cannot be used although it is chosen; empty: it can
  std::string origin;   // "https://gateway.example"
  Secret token;         // empty: the one of auth.json, see host/managed_token.h
  std::string ca_file;  // certificates to trust beside those of the system
  std::string image;
  double connect_seconds = 1;  // of a poll and of a cancel
  double poll_seconds = 5;     // until the response to a poll
  double cancel_seconds = 5;   // until the response to a cancel
};

// Sandboxes of the user's own account at Modal. What is empty here may be in the profile of a file
// (modal/credentials.h).
struct ModalConfig {
  std::string mode;  // "auto", "direct" or "managed"
  Secret token_id;   // counts only together with the secret
  Secret token_secret;
  std::string server_url;
  std::string environment;
  std::string image_builder_version;
  std::string profile;      // a profile of the file; empty: the active one
  std::string config_path;  // the file; empty: none
  std::string image;
  std::chrono::seconds life{3600};  // of a sandbox, even if commands run in it
};

// Sandboxes at Daytona.
struct DaytonaConfig {
  std::string url;  // of the API: "https://app.daytona.io/api"
  Secret key;
  std::string region;  // empty: the default of the account
  std::string image;
};

}  // namespace talaria::environment
