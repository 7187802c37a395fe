#include "policy/guard/run/links.h"

#include <algorithm>

#include "policy/guard/path_text.h"
#include "policy/guard/run/parameter.h"
#include "policy/guard/run/wrapper.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

constexpr std::size_t kMaxLinks = 256;
constexpr std::size_t kMaxMatches = 32;  // of a pattern
constexpr int kMaxHops = 8;

// These act on a link, and not on what it leads to.
constexpr std::string_view kOnLinks = "rm unlink mv ln rmdir readlink trash trash-put rimraf";
// What these are given they print, or it is a command that is followed itself.
constexpr std::string_view kNamesNoFile =
    "echo printf test [ [[ true false : sleep exit return wait date seq export declare local set "
    "xargs parallel cd pushd popd";

bool names_no_file(std::string_view program) {
  if (among(program, kNamesNoFile)) return true;
  const Wrapper* const wrapper = find_wrapper(program);
  return wrapper != nullptr && wrapper->verbs.empty();
}

// Where a path begins in a word: behind NAME=, @, -o.
std::size_t path_at(std::string_view word) {
  const std::size_t mark = word.find_last_of("=@", word.find('/'));
  if (mark != std::string_view::npos) return mark + 1;
  return word.starts_with('-') && !word.starts_with("--") && word.contains('/') ? 2 : 0;
}

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
  if (path.starts_with("/proc/") && !directory.empty()) {
    std::string_view rest = path.substr(6);
    const std::string_view process = next_word(rest, '/');
    const bool own = among(process, "self thread-self") || process.starts_with(kUnknownPiece);
    if (own && next_word(rest, '/') == "cwd")
      return std::string(directory) + "/" + std::string(rest);
  }
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
  if (base_name(path).find_first_of("*?[") == std::string_view::npos) return look_up(path);
  for (const auto& [name, link] : links_) {
    if (directory_of(name) == directory_of(path) &&
        matches_pattern(base_name(path), base_name(name))) {
      return &link;
    }
  }
  return nullptr;
}

// One that was there before.
const Links::Link* Links::look_up(std::string_view path) const {
  const bool above_start =
      start_.starts_with(path) && (start_.size() == path.size() || start_[path.size()] == '/');
  if (source_ == nullptr || !path.starts_with('/') || above_start || path.starts_with("/proc") ||
      path.starts_with("/dev") || path.contains(kUnknownPiece) || ++lookups_ > kMaxLookups) {
    return nullptr;
  }
  auto found = looked_up_.find(path);
  if (found == looked_up_.end()) {
    std::optional<Link> link;
    if (std::optional<std::string> target = source_->target_of(std::string(path))) {
      link = Link{.target = normalized_path(path_in(directory_of(path), *target))};
    }
    found = looked_up_.emplace(path, std::move(link)).first;
  }
  return found->second ? &*found->second : nullptr;
}

std::optional<std::string> Links::target_of(std::string_view path, bool last) const {
  if (empty() || path.empty()) return std::nullopt;
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

// The path as it is written, or for a pattern each link that was there before and that it fits.
std::vector<std::string> Links::meant_by(const SeenWord& word, std::string path) const {
  const std::size_t glob = word.pattern ? path.find_first_of("*?[") : std::string::npos;
  std::vector<std::string> all;
  if (source_ != nullptr && glob != std::string::npos && path.starts_with('/')) {
    const std::size_t begin = path.rfind('/', glob);
    const std::size_t end = std::min(path.find('/', glob), path.size());
    const std::string_view pattern = std::string_view(path).substr(begin + 1, end - begin - 1);
    const std::string directory = path.substr(0, std::max<std::size_t>(begin, 1));
    ++lookups_;
    for (const std::string& name :
         source_->names_in(target_of(directory, true).value_or(directory))) {
      if (!matches_pattern(pattern, name) || all.size() >= kMaxMatches) continue;
      all.push_back(directory + "/" + name + path.substr(end));
    }
  }
  all.push_back(std::move(path));
  return all;
}

// Where the word at `at` leads; several words, if it is a pattern.
std::vector<SeenWord> Links::targets_of(const SeenCommand& seen, std::size_t at) const {
  const std::string_view word = seen.word(at);
  const std::size_t value = path_at(word);
  if (word.empty() || (value == 0 && word.starts_with('-'))) return {};
  const bool last =
      seen.program == "git" ? seen.word(at - 1) == "-C" : !among(seen.program, kOnLinks);
  std::vector<SeenWord> words;
  for (const std::string& path :
       meant_by(seen.words[at], path_in(seen.directory, word.substr(value)))) {
    const std::optional<std::string> to = target_of(path, last);
    if (!to) continue;
    words.push_back(seen.words[at]);
    words.back().text = std::string(word.substr(0, value)) + *to;
  }
  return words;
}

std::optional<SeenCommand> Links::followed(const SeenCommand& seen) const {
  if (empty() || seen.elsewhere || names_no_file(seen.program)) return std::nullopt;
  std::optional<SeenCommand> real;
  if (const auto directory = target_of(seen.directory, true)) {
    real = seen;
    real->directory = directory->contains(kUnknownPiece) ? "" : *directory;
    real->from_start = false;
  }
  const std::size_t count = seen.words.size();
  for (std::size_t i = count; i-- > 1;) {  // so that those in front stay where they are
    std::vector<SeenWord> targets = targets_of(seen, i);
    if (targets.empty()) continue;
    if (!real) real = seen;
    const auto at = real->words.begin() + static_cast<std::ptrdiff_t>(i);
    real->words.insert(real->words.erase(at), targets.begin(), targets.end());
  }
  return real;
}

}  // namespace talaria::guard
