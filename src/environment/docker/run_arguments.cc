#include "environment/docker/run_arguments.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "environment/docker/labels.h"

namespace talaria::environment::docker {
namespace {

class Words {
 public:
  template <class... More>
  void add(More&&... more) {
    (words_.emplace_back(std::forward<More>(more)), ...);
  }
  std::vector<std::string> take() { return std::move(words_); }

 private:
  std::vector<std::string> words_;
};

// No rights but those a package manager needs; no more rights by setuid programs; what is temporary
// in memory. Docker's tmpfs is noexec by default: /tmp must let programs run.
void add_security(Words& words, const RunFacts& facts) {
  words.add("--cap-drop", "ALL", "--cap-add", "DAC_OVERRIDE", "--cap-add", "CHOWN", "--cap-add",
            "FOWNER", "--security-opt", "no-new-privileges", "--pids-limit", "256");
  words.add("--tmpfs", "/tmp:rw,exec,nosuid,size=512m");
  words.add("--tmpfs", "/var/tmp:rw,noexec,nosuid,size=256m");
  words.add("--tmpfs",
            facts.has_own_init ? "/run:rw,exec,nosuid,size=64m" : "/run:rw,noexec,nosuid,size=64m");
  // For programs that give rights up. As an ordinary user there is nothing to give.
  if (!facts.user) words.add("--cap-add", "SETUID", "--cap-add", "SETGID");
}

void add_writable(Words& words, const RunFacts& facts, bool has_workspace) {
  if (!facts.task_directory.empty()) {
    words.add("-v", facts.task_directory + "/home:/root");
    if (!has_workspace) words.add("-v", facts.task_directory + "/workspace:/workspace");
    return;
  }
  if (!has_workspace) words.add("--tmpfs", "/workspace:rw,exec,size=10g");
  words.add("--tmpfs", "/home:rw,exec,size=1g", "--tmpfs", "/root:rw,exec,size=1g");
}

void add_resources(Words& words, const DockerConfig& config, const ContainerConfig& container,
                   const RunFacts& facts, std::vector<std::string>& notices) {
  if (container.cpu > 0) words.add("--cpus", number_text(container.cpu));
  if (container.memory_mb > 0) words.add("--memory", std::to_string(container.memory_mb) + "m");
  if (container.disk_mb > 0 && facts.can_limit_disk) {
    words.add("--storage-opt", "size=" + std::to_string(container.disk_mb) + "m");
  } else if (container.disk_mb > 0 && container.disk_is_set) {
    notices.push_back(
        "The engine cannot limit a container's disk (that needs overlay2 on XFS with pquota): "
        "the container runs without that limit.");
  }
  if (!config.network) words.add("--network=none");
}

void add_volumes(Words& words, const DockerConfig& config, const EnvironmentSpec& spec,
                 const RunFacts& facts, std::vector<std::string>& notices) {
  if (facts.mounts_cwd) words.add("-v", config.host_cwd + ":/workspace");
  for (const std::string& volume : config.volumes) {
    if (volume.contains(':')) {
      words.add("-v", volume);
    } else {
      notices.push_back("TERMINAL_DOCKER_VOLUMES: '" + volume +
                        "' has no ':' and is left out; say HOST_PATH:CONTAINER_PATH.");
    }
  }
  for (const BoundPath& mount : spec.mounts) {
    words.add("-v", mount.host + ":" + mount.container + ":ro");
  }
  if (!facts.runners.empty()) words.add("-v", facts.runners + ":" + kMountedRunners + ":ro");
}

}  // namespace

bool has_own_workspace(const DockerConfig& config) {
  return std::ranges::any_of(
      config.volumes, [](const std::string& volume) { return volume.contains(":/workspace"); });
}

std::string number_text(double number) {
  std::array<char, 64> text;
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), number);
  return {text.data(), end};
}

RunArguments run_arguments(const DockerConfig& config, const EnvironmentSpec& spec,
                           const RunFacts& facts) {
  RunArguments made;
  Words words;
  words.add("run", "-d");
  if (!facts.has_own_init) words.add("--init");
  words.add("--name", facts.name);
  for (const std::string& label : all_labels(config, spec)) words.add("--label", label);
  words.add("-w", spec.cwd);
  add_security(words, facts);
  if (facts.user) words.add("--user", *facts.user);
  add_writable(words, facts, facts.mounts_cwd || has_own_workspace(config));
  add_resources(words, config, spec.container, facts, made.notices);
  add_volumes(words, config, spec, facts, made.notices);
  for (const auto& [name, value] : config.env) {
    words.add("-e", name);
    made.variables.push_back(name + "=" + value);
  }
  for (const std::string& word : config.extra_args) words.add(word);
  words.add(config.image, "sleep", "infinity");
  made.words = words.take();
  return made;
}

}  // namespace talaria::environment::docker
