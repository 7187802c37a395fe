#include "os/tree_walk.h"

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "os/file.h"

namespace talaria::os {
namespace {

constexpr std::size_t kDeepest = 128;         // each level is a descriptor
constexpr std::size_t kMostNames = 1u << 20;  // in one directory

// Of an open directory, sorted; nothing if it cannot be read.
std::optional<std::vector<std::string>> names_of(int directory) {
  const int own = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (own < 0) return std::nullopt;
  DIR* const stream = ::fdopendir(own);
  if (stream == nullptr) {
    ::close(own);
    return std::nullopt;
  }
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(stream)) {
    const std::string_view name(entry->d_name);
    if (name == "." || name == "..") continue;
    names.emplace_back(name);
    if (names.size() > kMostNames) break;
  }
  ::closedir(stream);
  if (names.size() > kMostNames) return std::nullopt;
  std::ranges::sort(names);
  return names;
}

// None if it is a link, or no directory at all.
UniqueFd open_plain_directory(int directory, const std::string& name) {
  return UniqueFd(
      ::openat(directory, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

}  // namespace

Result<TreeWalk> TreeWalk::below(const std::string& root, std::string after) {
  auto directory = open_file(root, O_RDONLY | O_DIRECTORY);
  if (!directory) return fail(directory.error());
  return below(std::move(*directory), std::move(after), true);
}

Result<TreeWalk> TreeWalk::below(UniqueFd root, std::string after, bool deep) {
  TreeWalk walk;
  walk.deep_ = deep;
  walk.after_ = deep ? std::move(after) : after.substr(0, after.find('/'));
  if (!walk.enter(std::move(root), "")) {
    return fail(ErrorKind::denied, "the directory cannot be read, or has too many entries");
  }
  return walk;
}

// Names at or before the part of `after` that lies here are passed over; the one that leads to it
// is entered once more.
bool TreeWalk::enter(UniqueFd directory, std::string path) {
  auto names = levels_.size() < kDeepest ? names_of(directory.get()) : std::nullopt;
  if (!names) return false;
  Level level{std::move(directory), std::move(path), std::move(*names)};
  if (after_.starts_with(level.path) && after_.size() > level.path.size()) {
    const std::string part = after_.substr(level.path.size());
    const std::string first = part.substr(0, part.find('/'));
    const auto at = std::ranges::lower_bound(level.names, first);
    level.next = static_cast<std::size_t>(at - level.names.begin());
    if (at != level.names.end() && *at == first) {
      ++level.next;
      UniqueFd inner = open_plain_directory(level.directory.get(), first);
      std::string inner_path = level.path + first + "/";
      levels_.push_back(std::move(level));
      if (inner && deep_ && !enter(std::move(inner), std::move(inner_path))) ++passed_over_;
      return true;
    }
  }
  levels_.push_back(std::move(level));
  return true;
}

std::optional<TreeEntry> TreeWalk::next() {
  while (!levels_.empty()) {
    Level& level = levels_.back();
    if (level.next == level.names.size()) {
      levels_.pop_back();
      continue;
    }
    const std::string& name = level.names[level.next++];
    const auto facts = file_facts(level.directory.get(), name);
    if (!facts) continue;  // gone meanwhile
    TreeEntry entry{.path = level.path + name,
                    .facts = *facts,
                    .directory = level.directory.get(),
                    .name = name};
    if (deep_ && facts->kind == FileKind::directory) {
      UniqueFd inner = open_plain_directory(entry.directory, entry.name);
      if (!inner || !enter(std::move(inner), entry.path + "/")) ++passed_over_;
    }
    return entry;
  }
  return std::nullopt;
}

}  // namespace talaria::os
