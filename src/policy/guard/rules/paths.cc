#include "policy/guard/rules/paths.h"

#include <algorithm>
#include <array>
#include <functional>

#include "policy/guard/path_pieces.h"
#include "policy/guard/path_text.h"
#include "policy/guard/rules/path_tables.h"
#include "policy/guard/run/parameter.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

constexpr std::array<std::string_view, 14> kSystemDirectories{
    "/home", "/root", "/etc",   "/usr",    "/var",   "/bin",     "/sbin",
    "/boot", "/lib",  "/lib64", "/System", "/Users", "/Library", "/Applications"};

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

bool begins_with_one(std::string_view text, std::string_view starts) {
  while (!starts.empty()) {
    if (text.starts_with(next_word(starts))) return true;
  }
  return false;
}

// x.o, *.o, x.egg-info: the last piece of a path, judged by how it ends.
bool has_product_ending(std::string_view name) {
  if (name.ends_with('~')) return true;
  for (std::size_t dot = name.find('.'); dot != std::string_view::npos;
       dot = name.find('.', dot + 1)) {
    if (among(name.substr(dot + 1), kProductEndings)) return true;
  }
  return false;
}

bool is_product_piece(std::string_view piece) {
  if (among(piece, kProductDirectories)) return true;
  static constexpr std::string_view kStarts =
      "build- build_ cmake-build dist- target- bazel- .cache- coverage- venv- .venv- test-results-";
  return begins_with_one(piece, kStarts) || piece.ends_with(".egg-info") ||
         piece.ends_with(".dSYM") || piece.ends_with("-build");
}

// Of a path below the project: whether some piece of it is a product, so that the rest is, too.
bool is_product(std::string_view path) {
  for (std::string_view rest = path; !rest.empty();) {
    while (rest.starts_with('/')) rest.remove_prefix(1);
    if (is_in(rest, kProductDirectories)) return true;
    const std::string_view piece = next_piece(rest);
    if (piece == "..") return false;
    if (is_product_piece(piece)) return true;
  }
  const std::string_view name = base_name(path);
  if (among(name, kProductFiles) || name.starts_with("core.")) return true;
  return has_product_ending(name);
}

// ~/.agent/worktrees/x and its like, where a task has a directory of its own; empty: it is not
// there.
std::string_view workplace(std::string_view path) {
  for (std::string_view rest = path; !rest.empty();) {
    if (!among(next_piece(rest), "sandboxes workspace workspaces worktrees")) continue;
    if (next_piece(rest).empty()) break;
    return path.substr(0, path.size() - rest.size());
  }
  return "";
}

// The first pieces of a directory: what belongs to one project.
std::string_view first_pieces(std::string_view project) {
  if (const std::string_view own = workplace(project); !own.empty()) return own;
  const std::size_t home = any_home(project);  // of somebody else
  std::string_view rest = project.substr(home);
  if (home == 0) next_piece(rest);
  const std::string_view second = next_piece(rest);
  const bool in_home = home > 0 || project.starts_with('~');
  if (in_home && (among(second, kPersonalDirectories) || among(second, kProjectFolders))) {
    next_piece(rest);
  }
  return project.substr(0, project.size() - rest.size());
}

// "/" and nothing contain everything, so nothing is said about what is below them.
std::string place_of(std::string_view directory) {
  return directory.size() > 1 ? normalized_path(directory) : "";
}

}  // namespace

PathKinds::PathKinds(const GuardContext& context)
    : home_(place_of(context.home)),
      session_home_(place_of(context.home_at_start())),
      real_home_(place_of(context.real_home)),
      hermes_home_(place_of(context.hermes_home)) {
  if (context.directory.starts_with('/')) project_ = folded(context.directory);
  const bool elsewhere = !context.project.empty() && workplace(project_).empty();
  if (elsewhere) project_ = folded(context.project);
  // where everything is somebody's
  const bool other_home = !project_.empty() && any_home(project_) == project_.size();
  if (other_home || is_private_place(project_)) project_ = "/";
  const std::string repository = place_of(context.repository);
  const bool has_repository = elsewhere || context.project.empty();
  if (project_ != "/" && !repository.empty() && has_repository) repository_ = folded(repository);
}

std::string_view PathKinds::project_root() const {
  return repository_.empty() ? first_pieces(project_) : std::string_view(repository_);
}

// A directory of settings, keys, programs or the system. It is never the project, even if a command
// starts there. The same holds for a directory that contains more than projects (~/Documents).
bool PathKinds::is_private_place(std::string_view folded) const {
  if (!workplace(folded).empty()) return false;
  if (below_system(folded)) {
    return !starts_path(folded, "/usr/src") && !starts_path(folded, "/usr/local/src");
  }
  std::string_view rest = below_a_home(folded);
  const std::string_view top = next_piece(rest);
  return (top.starts_with('.') && top != ".cache") || among(top, "bin snap Library") ||
         (among(top, kPersonalDirectories) && rest.empty());
}

std::string PathKinds::folded(std::string_view path) const {
  std::string plain = normalized_path(path);
  if (!hermes_home_.empty() && starts_path(plain, hermes_home_)) {
    return "~/.hermes" + plain.substr(hermes_home_.size());
  }
  const std::size_t home = home_.empty()               ? any_home(plain)
                           : starts_path(plain, home_) ? home_.size()
                                                       : 0;
  if (home > 0) return "~" + plain.substr(home);
  for (const std::string& other : {std::cref(session_home_), std::cref(real_home_)}) {
    if (!other.empty() && starts_path(plain, other)) return "~" + plain.substr(other.size());
  }
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
  constexpr std::string_view kOwn = "~/.hermes/talaria";
  if (starts_path(plain, kOwn)) {  // a sandbox that the command starts in is not one of them
    return !starts_path(project_, kOwn) || !starts_path(plain, project_);
  }
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
  if (cleared_directory(word, path) == "~") return true;
  return word.pattern && std::ranges::count(path, '/') == std::ranges::count(home_, '/') &&
         matches_pattern(path, home_);  // /home/al?ce
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
      return !starts_path(plain, "/root") || (!home_.empty() && home_ != "/root");
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

bool PathKinds::is_temporary(std::string_view path) const {
  const std::string plain = folded(path);
  for (const std::string_view directory :
       {"/tmp/", "/var/tmp/", "/dev/shm/", "/private/tmp/", "/var/folders/"}) {
    if (!plain.starts_with(directory)) continue;
    std::string_view rest = std::string_view(plain).substr(directory.size());
    const std::string_view name = next_piece(rest);
    // a project or a home that is there itself is no scratch
    for (const std::string_view own :
         {std::string_view(project_), std::string_view(home_), std::string_view(session_home_)}) {
      if (!own.starts_with(directory)) continue;
      std::string_view below = own.substr(directory.size());
      if (next_piece(below) == name) return false;
    }
    const std::size_t literal = std::min(name.find_first_of("*?["), name.size());
    return literal > 0 && name.front() != kUnknownPiece &&
           !begins_with_one(name, kForeignTemporary);
  }
  return false;
}

bool PathKinds::is_foreign(std::string_view path) const {
  if (path.empty() || path.front() == kUnknownPiece || is_temporary(path)) return false;
  const std::string plain = folded(path);
  if (starts_path(plain, "/dev") || starts_path(plain, "/proc")) return false;
  if (plain.starts_with("~/.cache/")) return false;
  asked_for_project_ = asked_for_project_ || plain.find_first_of("/~") == 0;
  if (plain.starts_with('/')) {
    return !project_.starts_with('/') || project_ == "/" || !starts_path(plain, project_root());
  }
  if (!plain.starts_with('~')) return false;
  if (!plain.starts_with("~/")) return true;                   // all of it, or somebody else's
  if (plain.starts_with("~/.talaria-session-")) return false;  // environment/managed/judged_script
  if (project_.starts_with("~/")) return !starts_path(plain, project_root());
  if (project_.starts_with('/')) return true;
  std::string_view rest = std::string_view(plain).substr(2);
  const std::string_view top = next_piece(rest);
  const bool alone = rest.empty() && project_.empty();  // ~/notes.txt
  return alone || top.starts_with(kUnknownPiece) || top.starts_with('.') ||
         among(top, kPersonalDirectories);
}

bool PathKinds::holds_project(std::string_view path) const {
  return !project_.empty() && starts_path(project_, folded(path));
}

bool PathKinds::is_disposable(std::string_view path) const {
  if (is_temporary(path)) return true;
  const std::string plain = folded(path);
  if (plain.starts_with("~/.cache/")) return plain.size() > 9 && !is_only_pattern(plain.substr(9));
  if (path.starts_with(kUnknownPiece) || is_foreign(path)) return false;
  std::string_view rest = plain;
  if (!project_.empty() && starts_path(plain, project_)) {
    rest.remove_prefix(project_.size());
    // a home or the root is no project
    if (project_ == "~" || project_ == "/") return false;
  } else if (plain.starts_with("~/")) {
    rest.remove_prefix(2);
    next_piece(rest);
  } else if (starts_path(plain, project_root())) {
    rest.remove_prefix(project_root().size());
  }
  return is_product(rest);
}

bool PathKinds::is_start_file(std::string_view path) const {
  const std::string plain = folded(path);
  const std::string_view name = base_name(plain);
  const bool may_be = plain.starts_with('.') || plain.contains("/.") ||
                      plain.starts_with("~/bin") || plain.starts_with("~/Library") ||
                      name.starts_with("talaria.db") || name == "audit.jsonl";
  if (among(name, "usercustomize.py sitecustomize.py")) return true;  // Python runs them
  if (!may_be) return false;
  const bool start =
      plain.starts_with("~/") && is_in(std::string_view(plain).substr(2), kStartFiles);
  return start || is_user_sensitive(path) || is_hermes_config(path) || is_git_hook(path);
}

bool PathKinds::is_git_hook(std::string_view path) const {
  const std::string plain = folded(path);
  const std::size_t at = plain.find(".git/");
  if (plain == ".git" || plain.ends_with("/.git")) return true;  // cp -r d/. .git
  if (at == std::string::npos || (at > 0 && plain[at - 1] != '/')) return false;
  const std::string_view rest = std::string_view(plain).substr(at + 5);
  if (starts_path(rest, "refs") || starts_path(rest, "logs")) return false;
  return starts_path(rest, "hooks") || rest.contains("/hooks/") || rest == "info/attributes" ||
         among(base_name(rest), "config config.worktree HEAD alternates commondir gitdir");
}

}  // namespace talaria::guard
