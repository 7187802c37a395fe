#include "policy/approval/isolation.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace talaria::policy {
namespace {

namespace fs = std::filesystem;

// A reason why the target is not isolated; nothing: none was found.
using Flaw = std::optional<std::string>;

fs::path normal(std::string_view path) {
  fs::path plain = fs::path(path).lexically_normal();
  return plain.has_filename() || plain == "/" ? plain : plain.parent_path();
}

bool is_at_or_below(const fs::path& path, const fs::path& directory) {
  const auto [end, rest] = std::ranges::mismatch(directory, path);
  return end == directory.end();
}

// The engine's socket is a way out, also where it is mounted read-only: connecting is not writing.
bool shows_engine(const fs::path& host) {
  constexpr auto kSockets = std::to_array<std::string_view>(
      {"docker.sock", "podman.sock", "containerd.sock", "crio.sock"});
  const std::string name = host.filename();
  if (std::ranges::find(kSockets, name) != kSockets.end()) return true;
  return is_at_or_below("/run/docker.sock", host) || is_at_or_below("/var/run/docker.sock", host);
}

struct Bind {
  std::string host;
  bool read_only = false;
};

Flaw flaw_of(const Bind& bind, const host::Config& config) {
  // What does not look like a path is the name of a volume, which is the engine's own.
  const bool is_path = bind.host.contains('/') || bind.host.find_first_of("~.") == 0;
  if (!is_path) return std::nullopt;
  const fs::path host = normal(bind.host);
  if (shows_engine(host)) return "the engine's socket can be reached through " + bind.host;
  if (bind.read_only) return std::nullopt;
  const bool plain = host.is_absolute() && !bind.host.contains("..");
  if (plain && is_at_or_below(host, normal(config.sandbox_dir))) return std::nullopt;
  return bind.host + " of this machine is mounted writable";
}

// "HOST:PLACE[:OPTIONS]"; a place alone is a volume without a name.
Bind parse_volume(std::string_view volume) {
  const std::string_view host = next_word(volume, ':');
  if (volume.empty()) return {};
  next_word(volume, ':');
  Bind bind{.host = std::string(host)};
  while (!volume.empty()) {
    const std::string_view option = next_word(volume, ',');
    if (option == "ro" || option == "readonly") bind.read_only = true;
  }
  return bind;
}

// "type=bind,source=HOST,target=PLACE,readonly".
Bind parse_mount(std::string_view mount) {
  Bind bind;
  bool is_bind = false;
  while (!mount.empty()) {
    std::string_view value = next_word(mount, ',');
    const std::string_view key = next_word(value, '=');
    if (key == "type") is_bind = value == "bind";
    if (key == "source" || key == "src") bind.host = value;
    if (key == "readonly" || key == "ro") bind.read_only = value.empty() || value == "true";
  }
  return is_bind ? bind : Bind{};
}

bool takes_much(std::string_view capability) {
  std::string name = lower_case(capability);
  if (name.starts_with("cap_")) name = name.substr(4);
  constexpr auto kTooMuch = std::to_array<std::string_view>(
      {"all", "sys_admin", "sys_module", "sys_rawio", "sys_boot", "dac_read_search", "mknod"});
  return std::ranges::find(kTooMuch, name) != kTooMuch.end();
}

Flaw flaw_of_argument(std::string_view name, std::string_view value, const host::Config& config) {
  const std::string shown(value.empty() ? name : std::string(name) + "=" + std::string(value));
  constexpr auto kNamespaces = std::to_array<std::string_view>(
      {"--pid", "--net", "--network", "--ipc", "--uts", "--userns", "--cgroupns"});
  if (name == "--privileged") {
    return value == "false" ? Flaw() : Flaw("the container is privileged");
  }
  if (std::ranges::find(kNamespaces, name) != kNamespaces.end() && value == "host") {
    return "it shares a namespace with this machine (" + shown + ")";
  }
  if (name == "-v" || name == "--volume") return flaw_of(parse_volume(value), config);
  if (name == "--mount") return flaw_of(parse_mount(value), config);
  if (name == "--volumes-from") return "what it takes from other containers is not known";
  if (name == "--device" || name == "--device-cgroup-rule") {
    return "it has a device of this machine (" + shown + ")";
  }
  if (name == "--cap-add" && takes_much(value)) return "it may do too much (" + shown + ")";
  if (name == "--security-opt" && (value.contains("unconfined") || value.contains("disable"))) {
    return "it is not confined (" + shown + ")";
  }
  return std::nullopt;
}

// Of docker and podman, one letter each; the others are switches.
constexpr std::string_view kLettersWithValue = "aceghlmpuvw";

// "-itv/:/host": the first letter that takes a value, with what stands behind it.
void read_letters(std::string_view word, std::string_view& name, std::string_view& value) {
  if (!word.starts_with('-') || word.starts_with("--") || word.size() < 3) return;
  const std::size_t letter = word.find_first_of(kLettersWithValue, 1);
  if (letter == std::string_view::npos) return;
  name = word[letter] == 'v' ? "-v" : "";
  value = word.substr(letter + 1);
  if (value.starts_with('=')) value.remove_prefix(1);
}

// "--name value", "--name=value", "-vvalue", "-itv value".
Flaw flaw_of_arguments(const std::vector<std::string>& arguments, const host::Config& config) {
  for (std::size_t at = 0; at < arguments.size(); ++at) {
    std::string_view value = arguments[at];
    std::string_view name = next_word(value, '=');
    read_letters(arguments[at], name, value);
    const bool apart = !arguments[at].contains('=') && value.empty() && at + 1 < arguments.size() &&
                       !arguments[at + 1].starts_with('-');
    if (apart) value = arguments[at + 1];
    // A switch has no value apart, but looking at the next word as if it were one does no harm:
    // that word is looked at by itself, too.
    if (name == "--privileged" && apart) value = {};
    if (Flaw flaw = flaw_of_argument(name, value, config)) return flaw;
  }
  return std::nullopt;
}

// The caller's directory as /workspace was asked for by name. It must not hold the configuration
// that says so.
Flaw flaw_of_workspace(const host::Config& config) {
  const std::string& workspace = config.docker.host_cwd;
  if (workspace.empty() || !is_at_or_below(normal(config.home), normal(workspace))) {
    return std::nullopt;
  }
  return "the directory mounted as /workspace (" + workspace + ") holds Talaria's own home";
}

Flaw flaw_of_docker(const host::Config& config) {
  for (const std::string& volume : config.docker.volumes) {
    if (Flaw flaw = flaw_of(parse_volume(volume), config)) return flaw;
  }
  if (Flaw flaw = flaw_of_arguments(config.docker.extra_args, config)) return flaw;
  return flaw_of_workspace(config);
}

// The engine binds what these say beside what we say.
Flaw flaw_of_singularity(const host::Config& config, const host::Caller& caller) {
  for (const char* name : {"APPTAINER_MOUNT", "SINGULARITY_MOUNT"}) {
    if (!caller.variable(name).value_or("").empty()) return std::string(name) + " is set";
  }
  for (const char* name :
       {"APPTAINER_BIND", "APPTAINER_BINDPATH", "SINGULARITY_BIND", "SINGULARITY_BINDPATH"}) {
    std::string_view binds = caller.variable(name).value_or("");
    while (!binds.empty()) {
      const std::string_view bind = next_word(binds, ',');
      const bool read_only = bind.ends_with(":ro");
      const std::string host(bind.substr(0, bind.find(':')));
      if (flaw_of({.host = host, .read_only = read_only}, config)) {
        return std::string(name) + " binds " + host;
      }
    }
  }
  return std::nullopt;
}

}  // namespace

Isolation isolation_of(const host::Config& config, const host::Caller& caller) {
  const std::string& target = config.target;
  Flaw flaw;
  if (target == "docker" || target == "podman") {
    flaw = flaw_of_docker(config);
  } else if (target == "singularity") {
    flaw = flaw_of_singularity(config, caller);
  } else if (config.managed.chosen) {
    flaw = "the gateway has not said that its sandboxes are isolated";
  } else if (target != "modal" && target != "daytona") {
    flaw = "commands at target '" + target + "' are not kept apart from anything";
  }
  if (!flaw) return {.isolated = true};
  return {.reason = std::move(*flaw)};
}

}  // namespace talaria::policy
