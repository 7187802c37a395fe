#include "policy/guard/run/links.h"

#include <algorithm>

#include "policy/guard/path_text.h"
#include "policy/guard/run/parameter.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

constexpr std::size_t kMaxLinks = 256;
constexpr int kMaxHops = 8;

// These act on a link, and not on what it leads to.
constexpr std::string_view kOnLinks = "rm unlink mv ln rmdir readlink trash trash-put";

std::string_view directory_of(std::string_view path) {
  return path.substr(0, std::min(path.find_last_of('/'), path.size()));
}

// `real` has no slash at its end; that of the root is empty.
void enter(std::string& real, std::string_view piece, bool absolute) {
  if (piece.empty() || piece == ".") return;
  if (piece == ".." && !real.ends_with(kUnknownPiece)) {
    real.resize(real.contains('/') ? directory_of(real).size() : 0);
    return;
  }
  if (absolute || !real.empty()) real += '/';
  real += piece;
}

}  // namespace

std::string path_in(std::string_view directory, std::string_view path) {
  if (directory.empty() || path.starts_with('/') || path.starts_with(kUnknownPiece)) {
    return std::string(path);
  }
  return std::string(directory) + "/" + std::string(path);
}

void Links::add(std::string_view path, std::string_view target, bool certain, bool mounted) {
  const std::string name = normalized_path(path);
  if (links_.size() >= kMaxLinks || name == "." || name == "/") return;
  const bool relative = !target.starts_with('/') && name.contains('/');
  std::string whole = relative ? path_in(directory_of(name), target) : std::string(target);
  whole = normalized_path(whole);
  if (whole == name) return;
  const auto [link, is_new] = links_.try_emplace(name);
  if (!is_new && !certain && link->second.target != whole) whole = kUnknownPiece;
  link->second = {std::move(whole), mounted || link->second.mounted};
}

// A pattern is a link if it stands for one.
const Links::Link* Links::find(std::string_view path) const {
  if (const auto found = links_.find(path); found != links_.end()) return &found->second;
  if (base_name(path).find_first_of("*?[") == std::string_view::npos) return nullptr;
  for (const auto& [name, link] : links_) {
    if (directory_of(name) == directory_of(path) &&
        matches_pattern(base_name(path), base_name(name))) {
      return &link;
    }
  }
  return nullptr;
}

std::optional<std::string> Links::target_of(std::string_view path, bool last) const {
  if (links_.empty()) return std::nullopt;
  return target_of(path, last, 0);
}

std::optional<std::string> Links::target_of(std::string_view path, bool last, int depth) const {
  std::string real;
  bool absolute = path.starts_with('/');
  bool through = false;
  for (std::string_view rest = path; !rest.empty();) {
    enter(real, next_word(rest, '/'), absolute);
    const Link* const link = find(real);
    const bool ends = rest.empty() && !path.ends_with('/');
    if (link == nullptr || (ends && !last && !link->mounted)) continue;
    if (depth >= kMaxHops) return std::string(1, kUnknownPiece);
    real = target_of(link->target, true, depth + 1).value_or(link->target);
    absolute = real.starts_with('/');
    through = true;
    if (real == "/") real.clear();
  }
  if (!through) return std::nullopt;
  return real.empty() ? "/" : real;
}

std::optional<SeenCommand> Links::followed(const SeenCommand& seen) const {
  if (links_.empty() || seen.elsewhere) return std::nullopt;
  SeenCommand real = seen;
  bool changed = false;
  if (const auto directory = target_of(seen.directory, true)) {
    real.directory = directory->contains(kUnknownPiece) ? "" : *directory;
    real.from_start = false;
    changed = true;
  }
  const bool last = !among(seen.program, kOnLinks);
  for (std::size_t i = 1; i < seen.words.size(); ++i) {
    const std::string& word = seen.words[i].text;
    const std::size_t value = word.find('=') + 1;  // of=file, --output=file
    if (value == 0 && word.starts_with('-')) continue;
    const std::string path = path_in(seen.directory, std::string_view(word).substr(value));
    if (const auto to = target_of(path, last)) {
      real.words[i].text = word.substr(0, value) + *to;
      changed = true;
    }
  }
  if (!changed) return std::nullopt;
  return real;
}

}  // namespace talaria::guard
