#include "policy/file_rules.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/text.h"

namespace talaria::policy {
namespace {

using Names = std::string_view;

constexpr auto kDevices = std::to_array<Names>(
    {"/dev/zero", "/dev/random", "/dev/urandom", "/dev/full", "/dev/stdin", "/dev/tty",
     "/dev/console", "/dev/stdout", "/dev/stderr", "/dev/fd/0", "/dev/fd/1", "/dev/fd/2"});
constexpr auto kProcessFiles =
    std::to_array<Names>({"fd/0", "fd/1", "fd/2", "environ", "cmdline", "maps"});

constexpr auto kSecretNames =
    std::to_array<Names>({".env", ".env.local", ".env.development", ".env.production", ".env.test",
                          ".env.staging", ".envrc"});
// Below an agent's home.
constexpr auto kCredentialStores = std::to_array<Names>(
    {"auth.json", "auth.lock", ".anthropic_oauth.json", ".env", "webhook_subscriptions.json",
     "auth/google_oauth.json", "cache/bws_cache.json"});
constexpr auto kTokens = Names("mcp-tokens");
constexpr auto kHub = Names("skills/.hub");

constexpr auto kSystemPlaces =
    std::to_array<Names>({"/etc", "/boot", "/usr/lib/systemd", "/private/etc", "/private/var"});
constexpr auto kDockerSockets = std::to_array<Names>({"/var/run/docker.sock", "/run/docker.sock"});
// Below the user's home.
constexpr auto kOwnFiles =
    std::to_array<Names>({".netrc", ".pgpass", ".npmrc", ".pypirc", ".git-credentials"});
constexpr auto kOwnPlaces = std::to_array<Names>(
    {".ssh", ".aws", ".gnupg", ".kube", ".docker", ".azure", ".config/gh", ".config/gcloud"});
// Below an agent's home.
constexpr auto kAgentFiles = std::to_array<Names>({".env", ".anthropic_oauth.json"});
constexpr auto kAgentPlaces = std::to_array<Names>({"mcp-tokens", "pairing", "talaria"});
constexpr auto kProfilePlaces = std::to_array<Names>({"skills", "plugins", "cron", "memories"});

bool is_at_or_below(std::string_view path, std::string_view root) {
  if (root.empty()) return false;
  if (root == "/") return path.starts_with('/');
  return path.starts_with(root) && (path.size() == root.size() || path[root.size()] == '/');
}

std::string in(const std::string& directory, std::string_view name) {
  return (directory == "/" ? "" : directory) + "/" + std::string(name);
}

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool is_device(std::string_view path) {
  if (std::ranges::find(kDevices, path) != kDevices.end()) return true;
  if (!path.starts_with("/proc/")) return false;
  const std::size_t slash = path.find('/', 6);
  if (slash == std::string_view::npos) return false;
  std::string_view inside = path.substr(slash + 1);
  if (inside.starts_with("task/")) {  // a thread has the same files
    const std::size_t next = inside.find('/', 5);
    inside = next == std::string_view::npos ? "" : inside.substr(next + 1);
  }
  return std::ranges::find(kProcessFiles, inside) != kProcessFiles.end();
}

// Of any form of the path: a rule holds for what is written and for what it leads to.
template <class Rule>
bool either(const RuledPath& file, Rule rule) {
  return rule(std::string_view(file.path)) || rule(std::string_view(file.real)) ||
         (!file.own.empty() && rule(std::string_view(file.own)));
}

bool is_credential_store(std::string_view path, const RuledPlace& place) {
  return std::ranges::any_of(place.agent_homes, [&](const std::string& home) {
    return std::ranges::any_of(kCredentialStores,
                               [&](Names name) { return path == in(home, name); });
  });
}

bool is_below_agent(std::string_view path, const RuledPlace& place, Names name) {
  return std::ranges::any_of(place.agent_homes, [&](const std::string& home) {
    return is_at_or_below(path, in(home, name));
  });
}

bool is_system(std::string_view path) {
  return std::ranges::any_of(kSystemPlaces,
                             [&](Names root) { return is_at_or_below(path, root); }) ||
         std::ranges::find(kDockerSockets, path) != kDockerSockets.end();
}

bool is_agent_config(std::string_view path, const RuledPlace& place) {
  return std::ranges::any_of(
      place.agent_homes, [&](const std::string& home) { return path == in(home, "config.yaml"); });
}

bool is_protected(std::string_view path, const RuledPlace& place) {
  const auto own = [&](Names name) { return path == in(place.home, name); };
  const auto below_own = [&](Names name) { return is_at_or_below(path, in(place.home, name)); };
  if (std::ranges::any_of(kOwnFiles, own) || std::ranges::any_of(kOwnPlaces, below_own)) {
    return true;
  }
  return std::ranges::any_of(place.agent_homes, [&](const std::string& home) {
    return std::ranges::any_of(kAgentFiles, [&](Names name) { return path == in(home, name); }) ||
           std::ranges::any_of(kAgentPlaces,
                               [&](Names name) { return is_at_or_below(path, in(home, name)); });
  });
}

// The home of the profile a path is of, if it is in one of the places that belong to a profile.
std::optional<std::string> profile_of(std::string_view path, const RuledPlace& place) {
  if (place.profiles_root.empty()) return std::nullopt;
  std::string home = place.profiles_root;
  const std::string profiles = in(home, "profiles");
  if (is_at_or_below(path, profiles) && path.size() > profiles.size() + 1) {
    const std::size_t end = path.find('/', profiles.size() + 1);
    home = std::string(path.substr(0, end));
  }
  const bool is_part = std::ranges::any_of(
      kProfilePlaces, [&](Names name) { return is_at_or_below(path, in(home, name)); });
  return is_part ? std::optional(home) : std::nullopt;
}

// ".../sandboxes/<backend>/<task>/home/.hermes/...": what a container's home looks like from here.
bool is_mirror(std::string_view path) {
  const std::size_t at = path.find("/sandboxes/");
  if (at == std::string_view::npos) return false;
  const std::size_t home = path.find("/home/.hermes/", at);
  if (home == std::string_view::npos) return false;
  const std::string_view between = path.substr(at + 11, home - at - 11);
  return std::ranges::count(between, '/') == 1 && !between.starts_with('/') &&
         !between.ends_with('/');
}

constexpr std::string_view kMeantSo = " If that is what you want, pass cross_profile=true.";

std::optional<std::string> soft_denied(const RuledPath& file, const RuledPlace& place) {
  const auto other = profile_of(file.real, place);
  if (other && !place.agent_homes.empty() && *other != place.agent_homes.front()) {
    return "Refusing to write into another profile: " + file.asked + " belongs to " + *other +
           ", and this one is " + place.agent_homes.front() + "." + std::string(kMeantSo);
  }
  if (is_mirror(file.real)) {
    return "Refusing to write into a sandbox's copy of the Hermes home: " + file.asked +
           " is not the home that Hermes reads." + std::string(kMeantSo);
  }
  if (place.is_lasting_container && is_at_or_below(file.real, "/root/.hermes")) {
    return "Refusing to write into the container's copy of the Hermes home: " + file.asked +
           " is not the home that Hermes reads." + std::string(kMeantSo);
  }
  return std::nullopt;
}

std::string protected_text(const RuledPath& file, FileAct act) {
  switch (act) {
    case FileAct::remove:
      return "Delete denied: " + file.asked + " is a protected path";
    case FileAct::move:
      return "Move denied: " + file.asked + " is a protected path";
    case FileAct::write:
    case FileAct::read:
      break;
  }
  return "Write denied: '" + file.asked + "' is a protected system/credential file.";
}

}  // namespace

std::optional<std::string> device_denied(std::string_view asked, std::string_view path) {
  if (!is_device(path)) return std::nullopt;
  return "Cannot read '" + std::string(asked) +
         "': this is a device file that would block or produce infinite output.";
}

std::optional<std::string> read_denied(const RuledPath& file, const RuledPlace& place) {
  for (const std::string& path : {file.path, file.real}) {
    if (auto denied = device_denied(file.asked, path)) return denied;
  }
  const auto below = [&](Names name) {
    return either(file, [&](std::string_view path) { return is_below_agent(path, place, name); });
  };
  if (below(kHub)) {
    return "Access denied: " + file.asked +
           " is an internal Hermes cache file and cannot be read directly; use the skill tools.";
  }
  if (below(kTokens)) {
    return "Access denied: " + file.asked + " is in the MCP token store, which holds secrets.";
  }
  if (either(file, [&](std::string_view path) { return is_credential_store(path, place); })) {
    return "Access denied: " + file.asked +
           " is a Hermes credential store; its secrets are not for reading.";
  }
  if (either(file, [](std::string_view path) {
        return std::ranges::find(kSecretNames, base_name(path)) != kSecretNames.end();
      })) {
    return "Access denied: " + file.asked +
           " is a secret-bearing environment file. Read .env.example to see which names there are, "
           "or ask the user.";
  }
  return std::nullopt;
}

std::optional<std::string> change_denied(const RuledPath& file, const RuledPlace& place,
                                         FileAct act, bool across_profiles) {
  if (either(file, is_system)) {
    return "Refusing to write to sensitive system path: " + file.asked +
           "\nUse the terminal tool with sudo if you need to modify system files.";
  }
  if (either(file, [&](std::string_view path) { return is_agent_config(path, place); })) {
    return "Refusing to write to Hermes config file: " + file.asked +
           "\nIt says what an agent may do, so it is the user's to change.";
  }
  const auto is_outside = [&](const std::string& path) {
    return !place.write_root.empty() && !path.empty() && !is_at_or_below(path, place.write_root);
  };
  if (either(file, [&](std::string_view path) { return is_protected(path, place); }) ||
      is_outside(file.real) || is_outside(file.own)) {
    return protected_text(file, act);
  }
  if (across_profiles) return std::nullopt;
  return soft_denied(file, place);
}

std::vector<std::string> unsearched(const std::string& root, const RuledPlace& place) {
  std::vector<std::string> globs;
  for (const Names name : kSecretNames) globs.push_back("!" + std::string(name));
  if (root == "/") globs.emplace_back("!/proc");
  if (is_at_or_below(root, "/proc")) {
    for (const Names name : kProcessFiles) {
      if (!name.contains('/')) globs.push_back("!" + std::string(name));
    }
  }
  for (const std::string& home : place.agent_homes) {
    if (!is_at_or_below(home, root)) continue;
    const std::string inside = root == "/" ? home : home.substr(root.size());
    for (const Names name : kCredentialStores) {
      globs.push_back("!" + in(inside, name));
    }
    for (const Names name : {kTokens, kHub}) globs.push_back("!" + in(inside, name));
  }
  return globs;
}

}  // namespace talaria::policy
