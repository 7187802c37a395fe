// What the configuration says about targets other than this machine.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/secret.h"

namespace talaria::host {

struct ContainerConfig {
  double cpu = 1;  // 0: no limit, here and below
  bool says_cpu = false;
  std::int64_t memory_mb = 5120;
  bool says_memory = false;
  std::int64_t disk_mb = 51200;
  bool says_disk = false;  // somebody asked for that limit; else it is only the default
  bool persistent = true;  // its files are kept
};

struct DockerConfig {
  std::string binary;  // HERMES_DOCKER_BINARY; empty: as it is found
  std::string image;
  std::vector<std::string> forward_env;  // names, checked
  std::map<std::string, std::string> env;
  std::vector<std::string> volumes;
  std::vector<std::string> extra_args;
  bool network = true;
  std::string host_cwd;  // a directory of this machine to be /workspace; empty: none
  bool run_as_host_user = false;
  bool persist_across_processes = true;
  bool reap_orphans = true;
};

struct SingularityConfig {
  std::string image;
  std::string scratch_dir;  // empty: by rule, here and below
  std::string cache_dir;
  double disk_warning_gb = 500;
};

struct SshConfig {
  std::string host;
  std::string user;
  int port = 22;
  std::string key;          // the private key's file; empty: as ssh finds one
  std::string config_file;  // in place of the person's own; empty: that
};

// Sandboxes that an HTTP gateway makes for us.
struct ManagedConfig {
  bool chosen = false;  // it is what commands go through
  std::string flaw;     // why not, though it is chosen; empty: nothing
  std::string origin;   // of the gateway
  Secret token;         // empty: the one of auth.json, see gateway_token.h
  std::string ca_file;  // whose certificates it may have beside those the system trusts
  std::string image;
  double connect_seconds = 1;
  double poll_seconds = 5;
  double cancel_seconds = 5;
};

// Sandboxes of an account of one's own at Modal. What is empty the profile of a file may say.
struct ModalConfig {
  std::string mode;  // "auto", "direct" or "managed"
  Secret token_id;
  Secret token_secret;
  std::string server_url;
  std::string environment;
  std::string image_builder_version;
  std::string profile;
  std::string config_path;
  std::string image;
  std::chrono::seconds life{3600};  // of a sandbox
};

// Sandboxes of Daytona's.
struct DaytonaConfig {
  std::string url;  // of the API
  Secret key;
  std::string region;  // empty: as the account says
  std::string image;
};

// What those who use our own gateway may ask for; 0: any.
struct GatewayConfig {
  double max_cpu = 0;
  std::int64_t max_memory_mb = 0;
  std::int64_t max_disk_mb = 0;
  std::vector<std::string> images;  // patterns; empty: any
};

struct Config;
struct Resolution;

// Those parts of `config`, and a notice for each entry that makes no sense and is left out.
void read_targets(const Resolution& resolution, Config& config);

}  // namespace talaria::host
