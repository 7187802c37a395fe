#include "environment/docker/run_arguments.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "environment/docker/labels.h"

namespace talaria::environment::docker {
namespace {

class ArgumentList {
 public:
  template <class... More>
  void add(More&&... more) {
    (arguments_.emplace_back(std::forward<More>(more)), ...);
  }
  std::vector<std::string> take() { return std::move(arguments_); }

 private:
  std::vector<std::string> arguments_;
};

// Sizes of the file systems in memory, in MiB. Their files count as memory of the container. All
// of them together leave room for the runner and for a command that removes some: a container whose
// memory is full can start nothing.
struct MemorySizes {
  std::int64_t tmp = 512;
  std::int64_t var_tmp = 256;
  std::int64_t run = 64;
  std::int64_t workspace = 10240;
  std::int64_t home = 1024;
  std::int64_t root = 1024;
};

MemorySizes memory_sizes(std::int64_t memory_mb, bool keeps_files) {
  MemorySizes sizes;
  if (memory_mb <= 0) return sizes;
  constexpr std::int64_t kShared = 64;  // /dev/shm, as engines make it
  const std::int64_t kept_free = std::max<std::int64_t>(64, memory_mb / 8);
  const std::int64_t room = std::max<std::int64_t>(memory_mb - kept_free - kShared, 16);
  const std::int64_t temporary = sizes.tmp + sizes.var_tmp + sizes.run;
  const std::int64_t for_temporary = std::min(temporary, room / (keeps_files ? 2 : 4));
  const auto reduce = [](std::int64_t& size, std::int64_t part, std::int64_t whole) {
    size = std::max<std::int64_t>(1, std::min(size, size * part / whole));
  };
  for (std::int64_t* size : {&sizes.tmp, &sizes.var_tmp, &sizes.run}) {
    reduce(*size, for_temporary, temporary);
  }
  const std::int64_t seventh = (room - for_temporary) / 7;
  sizes.workspace = std::min(sizes.workspace, 5 * seventh);
  sizes.home = std::min(sizes.home, seventh);
  sizes.root = std::min(sizes.root, seventh);
  return sizes;
}

std::string size_option(std::int64_t mb) {
  const bool whole = mb % 1024 == 0;
  return ",size=" + std::to_string(whole ? mb / 1024 : mb) + (whole ? "g" : "m");
}

// No rights but those a package manager needs; no more rights by setuid programs; what is temporary
// in memory. Docker's tmpfs is noexec by default: /tmp must let programs run.
void add_security(ArgumentList& arguments, const RunFacts& facts, const MemorySizes& sizes) {
  arguments.add("--cap-drop", "ALL", "--cap-add", "DAC_OVERRIDE", "--cap-add", "CHOWN", "--cap-add",
                "FOWNER", "--security-opt", "no-new-privileges", "--pids-limit", "256");
  arguments.add("--tmpfs", "/tmp:rw,exec,nosuid" + size_option(sizes.tmp));
  arguments.add("--tmpfs", "/var/tmp:rw,noexec,nosuid" + size_option(sizes.var_tmp));
  const std::string run = facts.has_own_init ? "/run:rw,exec,nosuid" : "/run:rw,noexec,nosuid";
  arguments.add("--tmpfs", run + size_option(sizes.run));
  // For programs that give rights up. As an ordinary user there is nothing to give.
  if (!facts.user) arguments.add("--cap-add", "SETUID", "--cap-add", "SETGID");
}

void add_writable(ArgumentList& arguments, const RunFacts& facts, const MemorySizes& sizes,
                  bool has_workspace) {
  if (!facts.task_directory.empty()) {
    arguments.add("-v", facts.task_directory + "/home:/root");
    if (!has_workspace) arguments.add("-v", facts.task_directory + "/workspace:/workspace");
    return;
  }
  if (!has_workspace) {
    arguments.add("--tmpfs", "/workspace:rw,exec" + size_option(sizes.workspace));
  }
  arguments.add("--tmpfs", "/home:rw,exec" + size_option(sizes.home));
  arguments.add("--tmpfs", "/root:rw,exec" + size_option(sizes.root));
}

void add_resources(ArgumentList& arguments, const DockerConfig& config,
                   const ContainerConfig& container, const RunFacts& facts,
                   std::vector<std::string>& notices) {
  if (container.cpu > 0) arguments.add("--cpus", number_text(container.cpu));
  if (container.memory_mb > 0) arguments.add("--memory", std::to_string(container.memory_mb) + "m");
  if (container.disk_mb > 0 && facts.can_limit_disk) {
    arguments.add("--storage-opt", "size=" + std::to_string(container.disk_mb) + "m");
  } else if (container.disk_mb > 0 && container.disk_is_set) {
    notices.push_back(
        "The engine cannot limit a container's disk (that needs overlay2 on XFS with pquota): "
        "the container runs without that limit.");
  }
  if (!config.network) arguments.add("--network=none");
}

void add_volumes(ArgumentList& arguments, const DockerConfig& config, const EnvironmentSpec& spec,
                 const RunFacts& facts, std::vector<std::string>& notices) {
  if (facts.mounts_cwd) arguments.add("-v", config.host_cwd + ":/workspace");
  for (const std::string& volume : config.volumes) {
    if (volume.contains(':')) {
      arguments.add("-v", volume);
    } else {
      notices.push_back("TERMINAL_DOCKER_VOLUMES: '" + volume +
                        "' has no ':' and is left out; say HOST_PATH:CONTAINER_PATH.");
    }
  }
  for (const BoundPath& mount : spec.mounts) {
    arguments.add("-v", mount.host + ":" + mount.container + ":ro");
  }
  if (!facts.runners.empty()) arguments.add("-v", facts.runners + ":" + kMountedRunners + ":ro");
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
  ArgumentList arguments;
  arguments.add("run", "-d");
  if (!facts.has_own_init) arguments.add("--init");
  arguments.add("--name", facts.name);
  for (const std::string& label : all_labels(config, spec)) arguments.add("--label", label);
  arguments.add("-w", spec.cwd);
  const MemorySizes sizes = memory_sizes(spec.container.memory_mb, !facts.task_directory.empty());
  add_security(arguments, facts, sizes);
  if (facts.user) arguments.add("--user", *facts.user);
  add_writable(arguments, facts, sizes, facts.mounts_cwd || has_own_workspace(config));
  add_resources(arguments, config, spec.container, facts, made.notices);
  add_volumes(arguments, config, spec, facts, made.notices);
  for (const auto& [name, value] : config.env) {
    arguments.add("-e", name);
    made.variables.push_back(name + "=" + value);
  }
  for (const std::string& argument : config.extra_args) arguments.add(argument);
  arguments.add(config.image);
  if (facts.start.empty()) {
    arguments.add("sleep", "infinity");
  } else {
    arguments.add("sh", "-c", facts.start + "; exec sleep infinity");
  }
  made.argv = arguments.take();
  return made;
}

}  // namespace talaria::environment::docker
