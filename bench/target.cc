#include "bench/target.h"

#include <cstdlib>

namespace talaria::bench {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// The words of `docker run` that Talaria gives, but for the labels.
constexpr const char* kHardened =
    "--network=none --cap-drop ALL --cap-add DAC_OVERRIDE --cap-add CHOWN --cap-add FOWNER "
    "--security-opt no-new-privileges --pids-limit 256 --tmpfs /tmp:rw,exec,nosuid,size=512m "
    "--tmpfs /var/tmp:rw,noexec,nosuid,size=256m --tmpfs /run:rw,noexec,nosuid,size=64m "
    "--cap-add SETUID --cap-add SETGID --cpus 1 --memory 5120m --init";

std::string containers(const std::string& profile) {
  return "docker ps -aq --filter label=hermes-profile=" + profile;
}

BenchTarget docker(const std::string& home) {
  const std::string image = variable("TALARIA_DOCKER_IMAGE");
  const std::string profile = "bench-" + home.substr(home.rfind('/') + 1);
  return {.name = "docker",
          .settings = {"TERMINAL_ENV=docker", "TERMINAL_DOCKER_IMAGE=" + image,
                       "TERMINAL_DOCKER_NETWORK=false", "HERMES_PROFILE=" + profile},
          .bare = "docker exec $(" + containers(profile) + " | head -n 1) true",
          .shell = "docker exec $(" + containers(profile) + " | head -n 1) sh -c",
          .fresh = std::string("docker run --rm ") + kHardened + " " + image + " true",
          .life = std::string("sh -c 'id=$(docker run -d ") + kHardened + " " + image +
                  " sleep infinity) && docker exec $id bash -c \"for i in {1..20}; do bash -c "
                  "true; done\" && docker rm -f $id'",
          .image = image,
          .count = containers(profile) + " | wc -l",
          .times = 30,
          .clean = "docker rm -f $(" + containers(profile) + ") >/dev/null 2>&1 || true"};
}

BenchTarget ssh(const std::string& home) {
  const std::string options = "ssh -F " + variable("TALARIA_SSH_CONFIG") +
                              " -o ControlMaster=auto -o ControlPersist=60 -o ControlPath=" + home +
                              "/floor.sock talaria-test";
  return {.name = "ssh",
          .settings = {"TERMINAL_ENV=ssh", "TERMINAL_SSH_HOST=talaria-test",
                       "TERMINAL_SSH_USER=" + variable("TALARIA_SSH_USER"),
                       "TERMINAL_SSH_CONFIG=" + variable("TALARIA_SSH_CONFIG"),
                       "TERMINAL_LIFETIME_SECONDS=2"},
          .bare = options + " true",
          .shell = options,
          .times = 6,
          .clean = options + " -O exit 2>/dev/null || true"};
}

BenchTarget singularity(const std::string& home) {
  // For everything we start from now on; it is found by name only.
  const std::string bin = variable("TALARIA_APPTAINER_BIN");
  if (!variable("PATH").starts_with(bin)) {
    ::setenv("PATH", (bin + ":" + variable("PATH")).c_str(), 1);
  }
  const std::string list = "apptainer instance list | awk '/^hermes_/ {print $1}'";
  return {.name = "singularity",
          .settings = {"TERMINAL_ENV=singularity",
                       "TERMINAL_SINGULARITY_IMAGE=" + variable("TALARIA_APPTAINER_SIF"),
                       "TERMINAL_SCRATCH_DIR=" + home + "/scratch"},
          .bare = "apptainer exec instance://$(" + list + " | head -n 1) true",
          .image = variable("TALARIA_APPTAINER_SIF"),
          .times = 30,
          .clean = "for i in $(" + list +
                   "); do apptainer instance stop $i >/dev/null 2>&1; done; true"};
}

}  // namespace

std::vector<BenchTarget> bench_targets(const std::string& home) {
  std::vector<BenchTarget> targets;
  if (!variable("TALARIA_DOCKER_IMAGE").empty()) targets.push_back(docker(home));
  if (!variable("TALARIA_SSH_CONFIG").empty()) targets.push_back(ssh(home));
  if (!variable("TALARIA_APPTAINER_SIF").empty()) targets.push_back(singularity(home));
  return targets;
}

std::optional<BenchTarget> bench_target(const std::string& home, const std::string& name) {
  for (BenchTarget& target : bench_targets(home)) {
    if (target.name == name) return std::move(target);
  }
  return std::nullopt;
}

}  // namespace talaria::bench
