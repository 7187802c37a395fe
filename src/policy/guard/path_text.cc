#include "policy/guard/path_text.h"

#include <algorithm>
#include <vector>

namespace talaria::guard {
namespace {

constexpr std::size_t kMaxPathBytes = 8192;  // the kernel refuses half of that

// How many pieces lead to the root by another name: /proc/self/root, /proc/1/task/2/root.
std::size_t other_root(const std::vector<std::string_view>& pieces) {
  if (pieces.size() < 3 || pieces[0] != "proc") return 0;
  const std::size_t at = pieces.size() >= 5 && pieces[2] == "task" ? 4 : 2;
  return pieces[at] == "root" ? at + 1 : 0;
}

}  // namespace

std::string normalized_path(std::string_view path) {
  if (path.size() > kMaxPathBytes) return std::string(path.substr(0, kMaxPathBytes));
  constexpr std::size_t kUsual = 16;
  std::vector<std::string_view> pieces;
  pieces.reserve(kUsual);
  const std::size_t size = path.size();
  const bool absolute = path.starts_with('/');
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    const std::string_view piece = path.substr(0, slash);
    path.remove_prefix(std::min(slash + 1, path.size()));
    if (piece.empty() || piece == ".") continue;
    if (piece == ".." && !pieces.empty() && pieces.back() != "..") {
      pieces.pop_back();
    } else if (piece != ".." || !absolute) {
      pieces.push_back(piece);
    }
  }
  std::string out;
  out.reserve(size);
  if (absolute) out = "/";
  const std::size_t first = absolute ? other_root(pieces) : 0;
  for (std::size_t i = first; i < pieces.size(); ++i) {
    if (i > first) out += '/';
    out += pieces[i];
  }
  return out.empty() ? "." : out;
}

bool is_by_name(std::string_view command) {
  if (!command.contains('/')) return true;
  const std::string path = normalized_path(command);
  for (const std::string_view directory :
       {"/bin/", "/sbin/", "/usr/", "/snap/bin/", "/opt/", "/nix/store/", "/run/current-system/"}) {
    if (path.starts_with(directory)) return true;
  }
  return false;
}

bool is_installed(std::string_view command) {
  if (is_by_name(command)) return true;
  const std::string path = normalized_path(command);
  return path.starts_with('/') && path.contains("/bin/") && !path.starts_with("/tmp/") &&
         !path.starts_with("/var/") && !path.starts_with("/dev/");
}

}  // namespace talaria::guard
