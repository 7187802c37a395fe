// What is secret or private, by its name and its place.
#include <algorithm>

#include "policy/guard/path_pieces.h"
#include "policy/guard/rules/path_tables.h"
#include "policy/guard/rules/paths.h"
#include "policy/guard/run/parameter.h"

namespace talaria::guard {
namespace {

bool matches_name(std::string_view name, std::string_view patterns) {
  while (!patterns.empty()) {
    const std::string_view one = next_word(patterns);
    if (one.starts_with('*') ? name.ends_with(one.substr(1)) && name.size() >= one.size()
                             : name == one) {
      return true;
    }
  }
  return false;
}

// Each piece of the pattern is one of the path; a hidden name is not meant by a star.
bool matches_path(std::string_view pattern, std::string_view path) {
  while (!pattern.empty() && !path.empty()) {
    const std::string_view one = next_piece(pattern);
    const std::string_view name = next_piece(path);
    if (name.starts_with('.') && !one.starts_with('.')) return false;
    if (!matches_pattern(one, name)) return false;
  }
  return pattern.empty() && path.empty();
}

// .env and its like, which hold the passwords of a program.
bool is_environment_file(std::string_view name) {
  return name == ".env" || name.starts_with(".env.") || name.ends_with(".env");
}

// A file of a person whose name says what it holds: ~/.x/access-token, ~/passwords.txt
bool has_secret_shape(std::string_view folded) {
  std::string_view rest = below_a_home(folded);
  const std::string name = lower_case(base_name(rest));
  const std::string_view top = next_piece(rest);
  const bool own = top.starts_with('.') ? top != ".cache" && !rest.contains("-packages/") &&
                                              !rest.contains("node_modules/")
                                        : rest.empty() || among(top, kPersonalDirectories);
  if (!own || name.empty()) return false;
  const std::size_t dot = name.find_last_of('.');
  const bool ends = dot != std::string::npos && dot > 0;
  constexpr std::string_view kEndings =
      "json yaml yml toml txt conf cfg ini xml gpg enc db csv properties";
  if (ends && !among(std::string_view(name).substr(dot + 1), kEndings)) return false;
  return name.contains("credential") || name.contains("secret") || name.contains("passw") ||
         name.starts_with("auth.") || (name.contains("token") && !name.contains("tokeni"));
}

// /proc/N/environ and /proc/N/mem of another process; the last name may be a pattern.
bool is_process_memory(std::string_view folded, bool pattern) {
  if (!folded.starts_with("/proc/")) return false;
  std::string_view rest = folded.substr(5);
  const std::string_view process = next_piece(rest);
  const bool number = process.find_first_of("0123456789*?[") == 0 ||
                      process.starts_with(kUnknownPiece) || process == "$$";
  const std::string_view name = base_name(rest);
  if (!number || rest.empty()) return false;
  return among(name, "environ mem") ||
         (pattern && (matches_pattern(name, "environ") || matches_pattern(name, "mem")));
}

// Of a list of visible names: whether the path has a hidden one behind the known directory.
bool is_hidden_in(std::string_view list, std::string_view path) {
  const char visible[] = {'/', kUnknownPiece, kUnknownPiece};
  const std::size_t at = list.find(std::string_view(visible, sizeof visible));
  if (at == list.npos || at >= path.size()) return false;
  return path.substr(at).contains("/.") || !path.starts_with(list.substr(0, at));
}

// What a search lists is a name of which a part is not known: whether it may be a secret.
bool may_list_secret(std::string_view folded) {
  const std::size_t home = any_home(folded);
  const bool in_home = home > 0 && home < folded.size();
  const std::string path = in_home ? "~" + std::string(folded.substr(home)) : std::string(folded);
  for (std::string_view rest = kSomeSecrets; !rest.empty();) {
    const std::string_view secret = next_word(rest);
    const bool any = base_name(path).find_first_not_of(kUnknownPiece) == std::string_view::npos;
    if (any && !secret.starts_with('~')) continue;  // all of /etc may be read, and few may
    if (is_hidden_in(path, secret)) continue;
    if (matches_pattern(path, secret)) return true;
    const bool from_root = path.starts_with('/') && secret.starts_with('~');
    if (from_root && matches_pattern(path, "/home/x" + std::string(secret.substr(1)))) return true;
  }
  return false;
}

}  // namespace

bool PathKinds::is_secret(std::string_view path) const {
  const std::string plain = folded(path);
  const std::string_view name = base_name(plain);
  if (name.ends_with(".pub") || name.ends_with(".crt") || is_sample(plain)) return false;
  if (is_in(below_a_home(plain), kSecretHomeFiles)) return true;
  if (matches_name(name, kSecretNames)) return true;
  const bool application = std::ranges::any_of(kApplicationData, [&](std::string_view place) {
    return place.starts_with('~') ? plain.starts_with(place) : plain.contains(place);
  });
  if (application) return true;
  if (starts_path(plain, "~/.ssh")) {
    return !among(name, "config known_hosts known_hosts.old authorized_keys environment rc") &&
           !plain.starts_with("~/.ssh/config.d") && !plain.ends_with(".sock");
  }
  if (is_in(plain,
            "/etc/NetworkManager/system-connections /run/secrets /var/run/secrets /etc/wireguard "
            "/etc/kubernetes /etc/rancher /etc/krb5.keytab /etc/wpa_supplicant")) {
    return true;
  }
  return plain.contains("/.ssh/id_") || plain.contains(".aws/credentials") ||
         plain.contains(".kube/config") || plain.contains("/etc/ssl/private") ||
         plain.contains("/etc/sudoers") || is_process_memory(plain, false) ||
         plain.starts_with("/tmp/krb5cc") ||
         (plain.starts_with("/etc/ssh/ssh_host_") && !plain.ends_with(".pub"));
}

bool PathKinds::is_persons_secret(const SeenWord& path) const {
  // most paths are the project's, which is the cheaper question
  if (!is_foreign(path.text) && !path.text.starts_with("/proc/") &&
      !path.text.contains("/.cache/huggingface/")) {
    return false;
  }
  if (is_secret(path.text)) return true;
  const std::string plain = folded(path.text);
  if (plain.ends_with(".pub") || is_sample(plain)) return false;
  const bool own = project_ == "~" && plain.rfind('/') == 1;  // where the text starts
  const bool shaped = (!own && is_environment_file(base_name(plain))) || has_secret_shape(plain);
  if (shaped && !path.guessed) return true;    // else it may as well be one of a project
  if (path.listed && plain.ends_with("/*")) {  // all that is there
    return may_list_secret(plain.substr(0, plain.size() - 1) + kUnknownPiece);
  }
  if (path.listed && !path.known()) return may_list_secret(plain);
  if (!path.pattern) return false;
  if (is_process_memory(plain, true)) return true;
  for (std::string_view rest = kSomeSecrets; !rest.empty();) {
    if (matches_path(plain, next_word(rest))) return true;
  }
  return false;
}

bool PathKinds::is_private(std::string_view path) const {
  if (is_secret(path)) return true;
  const std::string plain = folded(path);
  if (is_sample(plain) || plain.ends_with(".pub")) return false;
  if (plain == "~" || plain == "/" || plain == "~/*" || plain == "/*" || plain == "/etc" ||
      plain == "/etc/passwd" || plain == "/home" || plain == "/root") {
    return true;
  }
  if (plain.starts_with("~/") && is_in(std::string_view(plain).substr(2), kPrivateHomeFiles)) {
    return true;
  }
  const std::string_view name = base_name(plain);
  return (plain.starts_with("/proc/") && name == "environ") || is_environment_file(name);
}

bool is_sample(std::string_view path) {
  const std::string_view name = base_name(path);
  for (const std::string_view mark :
       {"example", "sample", "template", "dist", "defaults", "schema", ".test", ".ci", "dummy"}) {
    if (name.contains(mark)) return true;
  }
  return false;
}

}  // namespace talaria::guard
