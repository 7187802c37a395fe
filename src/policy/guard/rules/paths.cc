#include "policy/guard/rules/paths.h"

#include <algorithm>
#include <array>

#include "policy/guard/path_text.h"
#include "policy/guard/run/parameter.h"

namespace talaria::guard {
namespace {

constexpr std::array<std::string_view, 14> kSystemDirectories{
    "/home", "/root", "/etc",   "/usr",    "/var",   "/bin",     "/sbin",
    "/boot", "/lib",  "/lib64", "/System", "/Users", "/Library", "/Applications"};

bool starts_path(std::string_view path, std::string_view directory) {
  return path == directory || (path.starts_with(directory) && path[directory.size()] == '/');
}

// `name` at the end of a word: .bashrc and .bashrc.bak, not .bashrcs
bool begins_with_name(std::string_view text, std::string_view name) {
  if (!text.starts_with(name)) return false;
  const char next = text.size() > name.size() ? text[name.size()] : '\0';
  return std::isalnum(static_cast<unsigned char>(next)) == 0 && next != '_';
}

template <std::size_t N>
bool is_home_file(std::string_view folded, const std::array<std::string_view, N>& names) {
  if (!folded.starts_with("~/")) return false;
  return std::ranges::any_of(
      names, [&](std::string_view name) { return begins_with_name(folded.substr(2), name); });
}

// Only made of what stands for any name: * ? [!x]
bool is_only_pattern(std::string_view text) {
  return text.contains('*') && text.find_first_not_of("*?.") == std::string_view::npos;
}

// The directory, if the word is it or everything in it.
std::string cleared_directory(const SeenWord& word, const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  if (slash != std::string::npos && word.pattern && is_only_pattern(path.substr(slash + 1))) {
    return slash == 0 ? "/" : path.substr(0, slash);
  }
  return path;
}

}  // namespace

PathKinds::PathKinds(std::string_view home, std::string_view hermes_home)
    : home_(home.size() > 1 ? normalized_path(home) : ""),
      hermes_home_(hermes_home.size() > 1 ? normalized_path(hermes_home) : "") {}

std::string PathKinds::folded(std::string_view path) const {
  std::string plain = normalized_path(path);
  if (!hermes_home_.empty() && starts_path(plain, hermes_home_)) {
    return "~/.hermes" + plain.substr(hermes_home_.size());
  }
  if (!home_.empty() && starts_path(plain, home_)) return "~" + plain.substr(home_.size());
  return plain;
}

bool PathKinds::is_system_config(std::string_view path) const {
  const std::string plain = normalized_path(path);
  for (const std::string_view directory :
       {"/etc", "/private/etc", "/private/var", "/private/tmp", "/private/home"}) {
    if (starts_path(plain, directory)) return true;
  }
  return false;
}

bool PathKinds::is_ssh(std::string_view path) const {
  const std::string plain = folded(path);
  return starts_path(plain, "~/.ssh") || plain.ends_with(".ssh/authorized_keys");
}

bool PathKinds::is_shell_file(std::string_view path) const {
  static constexpr std::array<std::string_view, 11> kNames{
      ".bash_history",           ".zsh_history", ".bashrc",      ".zshrc",  ".profile",
      ".bash_profile",           ".zprofile",    ".bash_logout", ".zshenv", ".bash_aliases",
      ".config/fish/config.fish"};
  return is_home_file(folded(path), kNames);
}

bool PathKinds::is_credentials(std::string_view path) const {
  static constexpr std::array<std::string_view, 9> kNames{".netrc",
                                                          ".pgpass",
                                                          ".npmrc",
                                                          ".pypirc",
                                                          ".aws/credentials",
                                                          ".git-credentials",
                                                          ".kube/config",
                                                          ".docker/config.json",
                                                          ".gnupg"};
  return is_home_file(folded(path), kNames);
}

bool PathKinds::is_hermes_config(std::string_view path) const {
  const std::string plain = folded(path);
  const std::string_view name = base_name(plain);
  if (name.starts_with("talaria.db") || name == "audit.jsonl") return true;
  if (starts_path(plain, "~/.hermes/talaria")) return true;
  if (!plain.starts_with("~/.hermes/")) return false;
  const std::string_view rest = std::string_view(plain).substr(10);
  return begins_with_name(rest, ".env") || begins_with_name(rest, "config.yaml");
}

bool PathKinds::is_user_sensitive(std::string_view path) const {
  return is_ssh(path) || is_shell_file(path) || is_credentials(path);
}

bool PathKinds::is_sensitive(std::string_view path) const {
  return is_system_config(path) || is_user_sensitive(path) || is_hermes_config(path) ||
         is_block_device(path);
}

bool PathKinds::is_project_config(std::string_view path) const {
  const std::string_view name = base_name(path);
  if (name == "config.yaml") return true;
  const std::size_t at = name.find(".env");
  if (at == std::string_view::npos) return false;
  const std::string_view rest = name.substr(at + 4);
  return rest.empty() || (at == 0 && rest.front() == '.');
}

bool PathKinds::is_root(const SeenWord& word) const {
  const std::string path = normalized_path(word.text);
  if (cleared_directory(word, path) == "/") return true;
  if (!word.pattern || !path.starts_with('/') || path.find('/', 1) != std::string::npos)
    return false;
  // /[a-z]*: a pattern for most of what is there
  return std::ranges::count_if(kSystemDirectories, [&](std::string_view directory) {
           return matches_pattern(path, directory);
         }) > 3;
}

bool PathKinds::is_system_directory(const SeenWord& word) const {
  std::string path = normalized_path(word.text);
  if (path == "~root" || path == "~root/*") path = "/root";
  const std::string directory = cleared_directory(word, path);
  if (std::ranges::find(kSystemDirectories, directory) != kSystemDirectories.end()) return true;
  const bool pattern_in_root =
      word.pattern && path.starts_with('/') && path.find('/', 1) == std::string::npos;
  return pattern_in_root && std::ranges::any_of(kSystemDirectories, [&](std::string_view one) {
           return matches_pattern(path, one);
         });
}

bool PathKinds::is_home(const SeenWord& word) const {
  const std::string path = folded(word.text);
  return cleared_directory(word, path) == "~";
}

bool PathKinds::is_outside(std::string_view path) const { return folded(path).starts_with('/'); }

bool PathKinds::below_system(std::string_view path) const {
  const std::string plain = normalized_path(path);
  if (plain == "/" || starts_path(plain, "/proc/sys") || starts_path(plain, "/sys") ||
      plain == "/proc/sysrq-trigger") {
    return true;
  }
  for (const std::string_view directory : kSystemDirectories) {
    if (directory == "/home" || directory == "/Users") {
      if (plain == directory) return true;
    } else if (directory == "/var") {
      if (plain == directory || starts_path(plain, "/var/lib") || starts_path(plain, "/var/log") ||
          starts_path(plain, "/var/spool")) {
        return true;
      }
    } else if (starts_path(plain, directory)) {
      return !starts_path(plain, "/root") || home_ != "/root";
    }
  }
  return false;
}

bool is_block_device(std::string_view path) {
  const std::string plain = normalized_path(path);
  if (!plain.starts_with("/dev/")) return false;
  const std::string_view name = std::string_view(plain).substr(5);
  for (const std::string_view family :
       {"sd", "nvme", "hd", "mmcblk", "vd", "xvd", "disk", "rdisk", "mapper/", "md", "dm-"}) {
    if (name.starts_with(family)) return true;
  }
  return false;
}

bool is_private_key(std::string_view folded) {
  const std::string_view name = base_name(folded);
  if (name.ends_with(".pub")) return false;
  static constexpr std::string_view kSecrets[] = {"id_rsa",           "id_ed25519", "id_ecdsa",
                                                  "id_dsa",           ".netrc",     ".pgpass",
                                                  ".git-credentials", "shadow"};
  if (std::ranges::find(kSecrets, name) != std::end(kSecrets)) return true;
  return folded.contains(".aws/credentials") || folded.contains(".kube/config") ||
         folded == "~/.ssh" || folded.starts_with("~/.ssh/id_") || folded == "~/.gnupg" ||
         folded == "~/.aws" || folded.ends_with(".hermes/.env") || folded.ends_with("auth.json");
}

}  // namespace talaria::guard
