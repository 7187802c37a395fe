#include "host/shared/plain_copy.h"

#include <sys/stat.h>

#include <map>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "os/below.h"
#include "os/file.h"
#include "os/file_facts.h"
#include "os/file_lock.h"
#include "os/random.h"
#include "os/tree_walk.h"

namespace talaria::host {
namespace {

bool is_same(const os::FileFacts& one, const os::FileFacts& other) {
  return one.kind == other.kind && one.size == other.size && one.mtime_ns == other.mtime_ns &&
         one.mode == other.mode;
}

using Wanted = std::map<std::string, os::FileFacts>;  // by path

bool is_wanted(os::FileKind kind) {
  return kind == os::FileKind::file || kind == os::FileKind::directory;
}

Result<Wanted> wanted_of(const std::string& source) {
  auto walk = os::TreeWalk::below(source);
  if (!walk) return fail(walk.error());
  Wanted wanted;
  while (const auto entry = walk->next()) {
    if (!is_wanted(entry->facts.kind)) continue;
    if (wanted.size() == kMaxSharedFiles) {
      return fail(ErrorKind::limit,
                  source + ": over " + std::to_string(kMaxSharedFiles) + " files");
    }
    wanted.emplace(entry->path, entry->facts);
  }
  return wanted;
}

// What is in `copy` and not wanted there, the innermost first.
Result<void> remove_others(const std::string& copy, const Wanted& wanted) {
  auto walk = os::TreeWalk::below(copy);
  if (!walk) return fail(walk.error());
  std::vector<std::pair<std::string, os::FileKind>> others;
  while (const auto entry = walk->next()) {
    const auto found = wanted.find(entry->path);
    if (found != wanted.end() && found->second.kind == entry->facts.kind) continue;
    others.emplace_back(entry->path, entry->facts.kind);
  }
  for (; !others.empty(); others.pop_back()) {
    const auto& [path, kind] = others.back();
    const auto place = os::find_below(copy, path);
    if (!place) continue;
    ::unlinkat(place->directory.get(), place->name.c_str(),
               kind == os::FileKind::directory ? AT_REMOVEDIR : 0);
  }
  return {};
}

Result<void> copy_file(int from, const os::FileFacts& facts, const os::PlaceBelow& place) {
  const std::string fresh = ".talaria-" + os::random_hex(8);
  const auto to = os::open_file_at(place.directory.get(), fresh, O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (!to) return fail(to.error());
  Result<void> copied = os::copy_bytes(from, to->get());
  const timespec times[2] = {os::to_timespec(facts.mtime_ns), os::to_timespec(facts.mtime_ns)};
  if (copied && (::fchmod(to->get(), facts.mode & 0777) < 0 || ::futimens(to->get(), times) < 0 ||
                 ::renameat(place.directory.get(), fresh.c_str(), place.directory.get(),
                            place.name.c_str()) < 0)) {
    copied = fail(Error::from_errno("write " + place.name));
  }
  if (!copied) ::unlinkat(place.directory.get(), fresh.c_str(), 0);
  return copied;
}

Result<void> copy_entry(const std::string& source, const std::string& copy, const std::string& path,
                        const os::FileFacts& facts) {
  const auto place = os::find_below(copy, path, 0700);
  if (!place) return fail(place.error());
  if (facts.kind == os::FileKind::directory) {
    const mode_t mode = (facts.mode & 0777) | 0700;
    if (::mkdirat(place->directory.get(), place->name.c_str(), mode) < 0 && errno != EEXIST) {
      return fail(Error::from_errno("mkdir " + path));
    }
    return {};
  }
  const auto there = os::file_facts(place->directory.get(), place->name);
  if (there && is_same(*there, facts)) return {};
  const auto from = os::open_file_below(source, path);
  if (!from) return {};  // gone, or something else by now
  return copy_file(from->get(), facts, *place);
}

// Its parent is private; the directory itself has the mode of the source, because a container may
// run as any user.
Result<void> make_copy_directory(const std::string& source, const std::string& copy) {
  const auto made = os::make_private_directory(copy.substr(0, copy.rfind('/')));
  if (!made) return made;
  if (::mkdir(copy.c_str(), 0700) < 0 && errno != EEXIST) {
    return fail(Error::from_errno("mkdir " + copy));
  }
  const auto root = os::open_file(source, O_RDONLY | O_DIRECTORY);
  if (!root) return fail(root.error());
  const auto facts = os::file_facts(root->get());
  const auto directory = os::open_file(copy, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!directory) return fail(directory.error());
  if (facts && ::fchmod(directory->get(), (facts->mode & 0755) | 0700) < 0) {
    return fail(Error::from_errno("chmod " + copy));
  }
  return {};
}

}  // namespace

bool has_more_than_files(const std::string& directory) {
  auto walk = os::TreeWalk::below(directory);
  if (!walk) return false;
  while (const auto entry = walk->next()) {
    if (!is_wanted(entry->facts.kind)) return true;
  }
  return false;
}

Result<void> bring_up_to_date(const std::string& source, const std::string& copy) {
  if (const auto made = make_copy_directory(source, copy); !made) return made;
  const auto lock = os::try_lock_file(copy + ".lock");
  if (!lock) return fail(lock.error());
  if (!*lock) return {};
  const Result<Wanted> wanted = wanted_of(source);
  if (!wanted) return fail(wanted.error());
  if (const auto removed = remove_others(copy, *wanted); !removed) return removed;
  for (const auto& [path, facts] : *wanted) {
    if (const auto copied = copy_entry(source, copy, path, facts); !copied) return copied;
  }
  return {};
}

}  // namespace talaria::host
