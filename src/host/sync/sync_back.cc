#include "host/sync/sync_back.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/text.h"
#include "environment/wait_for_lock.h"
#include "host/sync/received_file.h"
#include "host/sync/theirs.h"
#include "os/below.h"
#include "os/file.h"
#include "os/part_name.h"

namespace talaria::host {
namespace {

constexpr int kAttempts = 3;

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

// Whether `path` is in the directory, or deeper: "skillsX/a" is not in "skills".
bool is_in(const std::string& path, const std::string& directory) {
  return path.starts_with(directory + "/");
}

// Where a file of the target belongs here.
struct Ours {
  std::string root;
  std::string inside;
  const PushedFile* pushed = nullptr;  // null: it is new
};

// Directories files were copied to, by the path at the target: where they are here.
using Directories = std::map<std::string, Ours>;

Directories directories_of(const PushedFiles& pushed) {
  Directories directories;
  for (const auto& [path, file] : pushed) {
    if (file.from.secret) continue;
    directories.try_emplace(parent_of(path), Ours{file.from.root, parent_of(file.from.inside)});
  }
  return directories;
}

std::optional<Ours> place_of(const std::string& path, const PushedFiles& pushed,
                             const Directories& directories) {
  if (!os::is_path_below(path)) return std::nullopt;
  if (const auto exact = pushed.find(path); exact != pushed.end()) {
    return Ours{exact->second.from.root, exact->second.from.inside, &exact->second};
  }
  for (std::string directory = parent_of(path); !directory.empty();
       directory = parent_of(directory)) {
    const auto found = directories.find(directory);
    if (found == directories.end()) continue;
    const std::string rest = path.substr(directory.size() + 1);
    const Ours& ours = found->second;
    return Ours{ours.root, ours.inside.empty() ? rest : ours.inside + "/" + rest};
  }
  return std::nullopt;
}

// Those that are not in another one.
std::vector<std::string> outermost(const Directories& directories) {
  std::vector<std::string> roots;
  for (const auto& [path, ours] : directories) {
    const bool inner =
        std::ranges::any_of(roots, [&](const std::string& root) { return is_in(path, root); });
    if (!inner) roots.push_back(path);
  }
  return roots;
}

// A file of ours as it is now.
struct Now {
  std::string sha256;                  // empty: there is none
  std::optional<os::FileFacts> facts;  // before it was read
};

Now look_at(const Ours& ours) {
  const auto file = os::open_file_below(ours.root, ours.inside);
  if (!file) return {};
  const auto facts = os::file_facts(file->get());
  return {os::digest_of(file->get()).value_or(""), facts};
}

// The digest of what was last the same on both sides; empty: unknown. Without a digest, ours is
// taken for it if time and size were the same there, and have changed only there.
std::string base_of(const PushedFile& pushed, const Now& now, const os::FileFacts& theirs) {
  if (!pushed.sha256.empty()) return pushed.sha256;
  const bool only_theirs = was_same(pushed) && now.facts &&
                           is_unchanged(*now.facts, pushed.from.facts) &&
                           !is_unchanged(theirs, pushed.there);
  return only_theirs ? now.sha256 : "";
}

class SyncBack {
 public:
  SyncBack(environment::Files& files, const PushedFiles& pushed, const SyncBackOptions& options,
           CancelToken cancel)
      : files_(files),
        pushed_(pushed),
        options_(options),
        cancel_(std::move(cancel)),
        directories_(directories_of(pushed)) {}

  SyncedBack result;

  Task<Result<void>> run() {
    const auto lock =
        co_await environment::wait_for_lock(sync_lock(options_.home), kSyncLockPatience);
    if (!lock) co_return fail(lock.error());
    remove_parts(options_.home);
    const Result<void> done = co_await run_locked();
    remove_parts(options_.home);
    co_return done;
  }

  // Something stays at the target that should be here.
  void left(std::string notice) {
    result.notices.push_back(std::move(notice));
    result.complete = false;
  }

 private:
  Task<Result<void>> run_locked() {
    const auto sizes = co_await list(false);
    if (!sizes) co_return fail(sizes.error());
    std::uint64_t total = 0;
    for (const environment::FileInfo& file : *sizes)
      total += std::min(file.facts.size, options_.most_bytes + 1);
    if (total > options_.most_bytes) {
      left("Nothing was brought back from the target: it has over " +
           std::to_string(options_.most_bytes >> 20) + " MiB in the directories that are shared");
      co_return Result<void>();
    }
    const auto all = co_await list(true);
    if (!all) co_return fail(all.error());
    for (const environment::FileInfo& file : *all) {
      if (cancel_.cancelled()) co_return fail(ErrorKind::interrupted, "interrupted");
      const Result<void> brought = co_await bring(file);
      if (!brought) co_return brought;
    }
    co_return Result<void>();
  }

  // Regular files that belong somewhere here, with their paths below the base.
  Task<Result<std::vector<environment::FileInfo>>> list(bool digests) {
    std::vector<environment::FileInfo> found;
    for (const std::string& directory : outermost(directories_)) {
      const environment::FilesQuery query{
          .directory = {directory, options_.base}, .deep = true, .digests = digests};
      auto there = co_await files_.list(query, cancel_);
      if (!there && there.error().kind() == ErrorKind::not_found) continue;
      if (!there) co_return fail(there.error());
      for (environment::FileInfo& file : *there) {
        file.path = directory + "/" + file.path;
        const bool wanted = file.facts.kind == os::FileKind::file && !os::is_part_name(file.path) &&
                            place_of(file.path, pushed_, directories_).has_value();
        if (wanted) found.push_back(std::move(file));
      }
    }
    for (const auto& [path, file] : pushed_) {
      if (!file.from.secret) continue;
      auto there = co_await files_.stat({path, options_.base}, false, digests);
      if (!there) co_return fail(there.error());
      if (!*there || (*there)->facts.kind != os::FileKind::file) continue;
      (*there)->path = path;
      found.push_back(std::move(**there));
    }
    co_return found;
  }

  Task<Result<void>> bring(const environment::FileInfo& file) {
    const std::optional<Ours> ours = place_of(file.path, pushed_, directories_);
    if (!ours) co_return Result<void>();
    // One that is too large for a digest is known by its time and size.
    if (file.sha256.empty() && ours->pushed && was_same(*ours->pushed) &&
        is_unchanged(file.facts, ours->pushed->there)) {
      co_return Result<void>();
    }
    const Now now = look_at(*ours);
    if (!file.sha256.empty() && file.sha256 == now.sha256) {
      note_same(file, *ours, *now.facts, now.sha256);
      co_return Result<void>();
    }
    const std::string then = ours->pushed ? base_of(*ours->pushed, now, file.facts) : "";
    if (!file.sha256.empty() && file.sha256 == then) co_return Result<void>();
    const Result<void> written = co_await download(file, *ours, now, then);
    if (!written &&
        written.error().kind() == ErrorKind::denied) {  // of ours: reported, and the rest continues
      left("Not brought back from the target: " + written.error().message());
      co_return Result<void>();
    }
    co_return written;
  }

  // `then`: what both sides last had.
  Task<Result<void>> download(const environment::FileInfo& file, const Ours& ours, const Now& now,
                              const std::string& then) {
    const auto place = os::find_below(ours.root, ours.inside, 0700);
    if (!place) co_return fail(ErrorKind::denied, place.error().message());
    auto received = ReceivedFile::open(options_.home);
    if (!received) co_return fail(received.error());
    const auto digest =
        co_await receive(files_, options_.base, file, received->fd(), CancelToken(cancel_));
    if (!digest) co_return fail(digest.error());
    // Somebody may have written ours while theirs was on its way.
    const auto facts = os::file_facts(place->directory.get(), place->name);
    const bool conflict = facts && *digest != now.sha256 &&
                          (now.sha256 != then || !now.facts || !is_unchanged(*facts, *now.facts));
    const std::string shown = sanitize_utf8(ours.root + "/" + ours.inside);
    Result<std::string> kept;
    if (conflict && facts->kind == os::FileKind::file) kept = keep_copy(options_.home, *place);
    Result<void> done;
    if (kept) done = received->put_in_place(*place, file.facts);
    if (!kept) done = fail(kept.error());
    if (!done) co_return fail(done.error().kind(), shown + ": " + done.error().message());
    if (conflict) {
      result.notices.push_back("Conflict: " + shown +
                               " was changed here and at the target; it is now what the target "
                               "had. Ours is kept as " +
                               *kept);
    }
    if (const auto put = os::file_facts(place->directory.get(), place->name)) {
      note_same(file, ours, *put, *digest);
    }
    co_return done;
  }

  void note_same(const environment::FileInfo& file, const Ours& ours, const os::FileFacts& here,
                 const std::string& digest) {
    const PushedFile* const known = ours.pushed;
    const bool is_known = known && known->sha256 == digest &&
                          is_unchanged(known->from.facts, here) &&
                          is_unchanged(known->there, file.facts);
    if (is_known) return;
    const bool secret = known && known->from.secret;
    result.same.insert_or_assign(
        file.path, PushedFile{{ours.root, ours.inside, here, secret}, file.facts, digest});
  }

  environment::Files& files_;
  const PushedFiles& pushed_;
  const SyncBackOptions& options_;
  CancelToken cancel_;
  Directories directories_;
};

}  // namespace

std::string sync_lock(const std::string& home) { return home + "/.sync.lock"; }

Task<SyncedBack> sync_back(environment::Files& files, PushedFiles pushed, SyncBackOptions options,
                           CancelToken cancel) {
  asio::steady_timer pause(co_await asio::this_coro::executor);
  SyncBack back(files, pushed, options, cancel);
  for (int attempt = 1;; ++attempt) {
    const Result<void> done = co_await back.run();
    if (done) co_return std::move(back.result);
    if (attempt == kAttempts || cancel.cancelled()) {
      back.left(
          "What was changed at the target in skills, caches and credential files was not all "
          "brought back: " +
          done.error().message() +
          ". It stays there, and the end of the next program that uses the target tries again");
      co_return std::move(back.result);
    }
    pause.expires_after(options.retry * attempt);
    cancel.on_cancel([&pause] { pause.cancel(); });
    (void)co_await pause.async_wait(as_values);
    cancel.on_cancel(nullptr);
  }
}

}  // namespace talaria::host
