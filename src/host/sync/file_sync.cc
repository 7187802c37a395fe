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

// A file that is there with the same time and size was copied by an earlier program of ours: what
// we copy keeps its time.
Task<void> FileSync::look_at_target(environment::Files& files, const SharedList& list,
                                    PushedFiles& known) {
  const auto note = [&](const std::string& path, const environment::FileInfo& there) {
    const auto ours = list.files.find(path);
    if (ours == list.files.end() || there.facts.kind != os::FileKind::file) return;
    if (is_unchanged(there.facts, ours->second.facts))
      known.emplace(path, PushedFile{ours->second, ""});
  };
  std::set<std::string> directories;
  for (const auto& [path, file] : list.files) {
    if (!file.secret) {
      directories.insert(first_part(path));
      continue;
    }
    const auto there = co_await files.stat({path, options_.base}, false, false);
    if (there && *there) note(path, **there);
  }
  for (const std::string& directory : directories) {
    const auto there =
        co_await files.list({.directory = {directory, options_.base}, .deep = true}, CancelToken{});
    if (!there) continue;
    for (const environment::FileInfo& one : *there) note(directory + "/" + one.path, one);
  }
}

Task<Result<void>> FileSync::push_round(environment::Files& files, const SharedList& list,
                                        CancelToken cancel) {
  PushedFiles next = pushed_;
  if (!looked_ && !list.files.empty()) co_await look_at_target(files, list, next);
  std::vector<std::pair<std::string, std::shared_ptr<Source>>> sources;
  std::vector<environment::FileToWrite> uploads;
  for (const auto& [path, file] : list.files) {
    const auto known = next.find(path);
    if (known != next.end() && is_unchanged(file.facts, known->second.from.facts)) continue;
    sources.emplace_back(path, std::make_shared<Source>(file));
    uploads.push_back(to_write(sources.back().second, path, options_.base));
  }
  std::vector<std::string> removed;
  for (const auto& [path, file] : next) {
    if (!list.files.contains(path)) removed.push_back(path);
  }
  std::vector<Result<environment::FileInfo>> results;
  if (!uploads.empty()) results = co_await files.write(std::move(uploads), cancel);
  for (std::size_t i = 0; i < results.size(); ++i) {
    auto& [path, source] = sources[i];
    if (source->skipped) continue;
    if (!results[i]) co_return fail(results[i].error());
    next.insert_or_assign(path, PushedFile{source->file, source->digest.hex()});
  }
  if (!removed.empty()) {
    const auto gone = co_await files.remove(removed, options_.base);
    if (!gone) co_return gone;
    for (const std::string& path : removed) next.erase(path);
  }
  pushed_ = std::move(next);
  looked_ = true;
  co_return Result<void>();
}

Task<SyncedBack> FileSync::pull(environment::Files& files) {
  if (pushed_.empty()) co_return SyncedBack();
  const SyncBackOptions options{
      .lock = options_.home + "/.sync.lock", .base = options_.base, .retry = options_.retry};
  co_return co_await sync_back(files, pushed_, options);
}

}  // namespace talaria::host
