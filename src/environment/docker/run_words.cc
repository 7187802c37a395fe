#include "environment/docker/run_words.h"

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
// in memory. Docker's tmpfs is noexec unless told otherwise: /tmp is to let programs run.
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
  if (!facts.kept.empty()) {
    words.add("-v", facts.kept + "/home:/root");
    if (!has_workspace) words.add("-v", facts.kept + "/workspace:/workspace");
    return;
  }
  if (!has_workspace) words.add("--tmpfs", "/workspace:rw,exec,size=10g");
  words.add("--tmpfs", "/home:rw,exec,size=1g", "--tmpfs", "/root:rw,exec,size=1g");
}

void add_resources(Words& words, const DockerOptions& options, const RunFacts& facts,
                   std::vector<std::string>& notices) {
  if (options.cpu > 0) words.add("--cpus", number_text(options.cpu));
  if (options.memory_mb > 0) words.add("--memory", std::to_string(options.memory_mb) + "m");
  if (options.disk_mb > 0 && facts.can_limit_disk) {
    words.add("--storage-opt", "size=" + std::to_string(options.disk_mb) + "m");
  } else if (options.disk_mb > 0 && options.says_disk) {
    notices.push_back(
        "The engine cannot limit a container's disk (that needs overlay2 on XFS with pquota): "
        "the container runs without that limit.");
  }
  if (!options.network) words.add("--network=none");
}

void add_volumes(Words& words, const DockerOptions& options, const RunFacts& facts,
                 std::vector<std::string>& notices) {
  if (facts.mounts_cwd) words.add("-v", options.host_cwd + ":/workspace");
  for (const std::string& volume : options.volumes) {
    if (volume.contains(':')) {
      words.add("-v", volume);
    } else {
      notices.push_back("TERMINAL_DOCKER_VOLUMES: '" + volume +
                        "' has no ':' and is left out; say HOST_PATH:CONTAINER_PATH.");
    }
  }
  for (const BoundPath& mount : options.shared) {
    words.add("-v", mount.host + ":" + mount.container + ":ro");
  }
  if (!facts.runners.empty()) words.add("-v", facts.runners + ":" + kMountedRunners + ":ro");
}

}  // namespace

bool has_own_workspace(const DockerOptions& options) {
  return std::ranges::any_of(
      options.volumes, [](const std::string& volume) { return volume.contains(":/workspace"); });
}

std::string number_text(double number) {
  std::array<char, 64> text;
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), number);
  return {text.data(), end};
}

RunWords run_words(const DockerOptions& options, const RunFacts& facts) {
  RunWords made;
  Words words;
  words.add("run", "-d");
  if (!facts.has_own_init) words.add("--init");
  words.add("--name", facts.name);
  for (const std::string& label : all_labels(options)) words.add("--label", label);
  words.add("-w", options.cwd);
  add_security(words, facts);
  if (facts.user) words.add("--user", *facts.user);
  add_writable(words, facts, facts.mounts_cwd || has_own_workspace(options));
  add_resources(words, options, facts, made.notices);
  add_volumes(words, options, facts, made.notices);
  for (const auto& [name, value] : options.env) {
    words.add("-e", name);
    made.client.push_back(name + "=" + value);
  }
  for (const std::string& word : options.extra_args) words.add(word);
  words.add(options.image, "sleep", "infinity");
  made.words = words.take();
  return made;
}

}  // namespace talaria::environment::docker
