#include "host/sync/file_sync.h"

#include <unistd.h>

#include <cerrno>
#include <utility>

#include <boost/asio/this_coro.hpp>

#include "base/sha256.h"
#include "os/below.h"

namespace talaria::host {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kSecretMode = 0600;
constexpr std::uint32_t kParentsMode = 0700;

// One file on its way, read as it is sent.
struct Source {
  SharedFile file;
  os::UniqueFd open = {};
  Sha256 digest = {};
  bool begun = false;
  bool skipped = false;  // gone, or cannot be read

  Result<std::string> next(std::size_t most) {
    if (!std::exchange(begun, true)) {
      auto opened = os::open_file_below(file.root, file.inside);
      const auto facts = opened ? os::file_facts(opened->get()) : std::nullopt;
      if (!facts) return skip();
      open = std::move(*opened);
      file.facts = *facts;
    }
    if (!open) return std::string();
    std::string piece(most, '\0');
    const ssize_t size = ::read(open.get(), piece.data(), piece.size());
    if (size < 0) return errno == EINTR ? next(most) : Result<std::string>(skip());
    piece.resize(static_cast<std::size_t>(size));
    digest.add(piece);
    if (size == 0) open.reset();
    return piece;
  }

 private:
  std::unexpected<Error> skip() {
    skipped = true;
    return fail(ErrorKind::not_found, file.host() + ": it cannot be read any more");
  }
};

environment::FileToWrite to_write(const std::shared_ptr<Source>& source, const std::string& path,
                                  const std::string& base) {
  const SharedFile& file = source->file;
  return {.to = {path, base},
          .size = file.facts.size,
          .next = [source](std::size_t most) { return source->next(most); },
          .waits_for_disk = true,
          .mode = file.secret ? kSecretMode : file.facts.mode & 0777,
          .mtime_ns = file.facts.mtime_ns,
          .parents = kParentsMode};
}

std::string first_part(const std::string& path) { return path.substr(0, path.find('/')); }

}  // namespace

// The one round that is under way; its destructor wakes the calls that wait for it.
class FileSync::Turn {
 public:
  explicit Turn(FileSync& sync) : sync_(sync) { sync_.under_way_ = std::make_shared<AsyncEvent>(); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    sync_.last_attempt_ = Clock::now();
    std::exchange(sync_.under_way_, nullptr)->set();
  }

 private:
  FileSync& sync_;
};

bool FileSync::is_due() const {
  return options_.always || !last_attempt_ || Clock::now() - *last_attempt_ >= options_.pause;
}

Task<std::vector<std::string>> FileSync::push(environment::Files& files, CancelToken cancel) {
  std::vector<std::string> notices;
  if (under_way_) {
    const auto other = under_way_;
    co_await other->wait();
    co_return notices;
  }
  if (!is_due()) co_return notices;
  const Turn turn(*this);
  SharedList list = list_();
  for (std::string& notice : list.notices) {
    if (reported_.insert(notice).second) notices.push_back(std::move(notice));
  }
  const Result<void> pushed = co_await push_round(files, list, cancel);
  const std::string failure = pushed ? "" : pushed.error().message();
  // Reported once, not with every command while it lasts.
  if (!cancel.cancelled() && std::exchange(last_failure_, failure) != failure && !pushed) {
    notices.push_back("Skills, caches and credential files were not copied to the target: " +
                      failure + ". The next command tries again.");
  }
  co_return notices;
}

// Files that are at the target now, of those that a round would replace or remove.
Task<Result<FileSync::There>> FileSync::look_at_target(environment::Files& files,
                                                       std::vector<SharedPath> paths,
                                                       CancelToken cancel) const {
  There there;
  std::set<std::string> directories;
  for (const SharedPath& one : paths) {
    if (!one.secret) {
      directories.insert(first_part(one.path));
      continue;
    }
    const auto found = co_await files.stat({one.path, options_.base}, false, false);
    if (!found) co_return fail(found.error());
    if (*found) there.emplace(one.path, (*found)->facts);
  }
  for (const std::string& directory : directories) {
    const auto found =
        co_await files.list({.directory = {directory, options_.base}, .deep = true}, cancel);
    if (!found && found.error().kind() == ErrorKind::not_found) continue;
    if (!found) co_return fail(found.error());
    for (const environment::FileInfo& one : *found) {
      if (one.facts.kind == os::FileKind::file)
        there.emplace(directory + "/" + one.path, one.facts);
    }
  }
  co_return there;
}

// Nothing at the target is replaced that somebody wrote there since it was copied, or that is newer
// than ours: the end brings it back.
Task<Result<void>> FileSync::push_round(environment::Files& files, const SharedList& list,
                                        CancelToken cancel) {
  PushedFiles next = pushed_;
  std::vector<SharedPath> changed, removed;
  for (const auto& [path, file] : list.files) {
    const auto known = next.find(path);
    if (known != next.end() && is_unchanged(file.facts, known->second.from.facts)) continue;
    changed.push_back({path, file.secret});
  }
  for (const auto& [path, file] : next) {
    if (!list.files.contains(path)) removed.push_back({path, file.from.secret});
  }
  std::vector<SharedPath> both = changed;
  both.insert(both.end(), removed.begin(), removed.end());
  const auto there = co_await look_at_target(files, std::move(both), cancel);
  if (!there) co_return fail(there.error());

  std::vector<std::pair<std::string, std::shared_ptr<Source>>> sources;
  std::vector<environment::FileToWrite> uploads;
  for (const SharedPath& one : changed) {
    const SharedFile& ours = list.files.at(one.path);
    const auto theirs = there->find(one.path);
    const auto known = next.find(one.path);
    if (theirs != there->end() && known != next.end()) {
      if (!is_unchanged(theirs->second, known->second.there)) continue;
    } else if (theirs != there->end() && (is_unchanged(theirs->second, ours.facts) ||
                                          theirs->second.mtime_ns > ours.facts.mtime_ns)) {
      next.emplace(one.path, PushedFile{ours, theirs->second, ""});
      continue;
    }
    sources.emplace_back(one.path, std::make_shared<Source>(ours));
    uploads.push_back(to_write(sources.back().second, one.path, options_.base));
  }
  std::vector<Result<environment::FileInfo>> results;
  if (!uploads.empty()) results = co_await files.write(std::move(uploads), cancel);
  for (std::size_t i = 0; i < results.size(); ++i) {
    auto& [path, source] = sources[i];
    if (source->skipped) continue;
    if (!results[i]) co_return fail(results[i].error());
    next.insert_or_assign(path, PushedFile{source->file, results[i]->facts, source->digest.hex()});
  }
  std::vector<std::string> gone;
  for (const SharedPath& one : removed) {
    const auto theirs = there->find(one.path);
    const bool theirs_now =
        theirs != there->end() && !is_unchanged(theirs->second, next.at(one.path).there);
    if (one.secret || !theirs_now) gone.push_back(one.path);
    next.erase(one.path);
  }
  if (!gone.empty()) {
    const auto done = co_await files.remove(gone, options_.base);
    if (!done) co_return done;
  }
  pushed_ = std::move(next);
  co_return Result<void>();
}

Task<SyncedBack> FileSync::pull(environment::Files& files, CancelToken cancel) {
  if (pushed_.empty()) co_return SyncedBack();
  const SyncBackOptions options{
      .home = options_.home, .base = options_.base, .retry = options_.retry};
  co_return co_await sync_back(files, pushed_, options, std::move(cancel));
}

}  // namespace talaria::host
