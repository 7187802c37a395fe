#include "host/sync/sync_back.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/sha256.h"
#include "base/text.h"
#include "environment/wait_for_lock.h"
#include "host/sync/received_file.h"
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

std::string host_digest(const Ours& ours) {
  const auto file = os::open_file_below(ours.root, ours.inside);
  return file ? os::digest_of(file->get()).value_or("") : "";
}

// What was copied there; empty: unknown.
std::string pushed_digest(const PushedFile& pushed) {
  if (!pushed.sha256.empty()) return pushed.sha256;
  const auto file = os::open_file_below(pushed.from.root, pushed.from.inside);
  const auto facts = file ? os::file_facts(file->get()) : std::nullopt;
  if (!facts || !is_unchanged(*facts, pushed.from.facts)) return "";
  return os::digest_of(file->get()).value_or("");
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
    // One that is too large for a digest is known by its time and size, which copies keep.
    const bool no_digest = file.sha256.empty() && ours->pushed;
    if (no_digest && is_unchanged(file.facts, ours->pushed->from.facts)) co_return Result<void>();
    const std::string now = host_digest(*ours);
    if (!file.sha256.empty() && file.sha256 == now) co_return Result<void>();
    const std::string then = ours->pushed ? pushed_digest(*ours->pushed) : "";
    if (!file.sha256.empty() && file.sha256 == then) co_return Result<void>();
    const bool conflict = !now.empty() && now != then;
    const Result<void> written = co_await download(file, *ours, conflict);
    if (!written &&
        written.error().kind() == ErrorKind::denied) {  // of ours: reported, and the rest continues
      left("Not brought back from the target: " + written.error().message());
      co_return Result<void>();
    }
    co_return written;
  }

  Task<Result<void>> download(const environment::FileInfo& file, const Ours& ours, bool conflict) {
    const auto place = os::find_below(ours.root, ours.inside, 0700);
    if (!place) co_return fail(ErrorKind::denied, place.error().message());
    auto received = ReceivedFile::open(options_.home);
    if (!received) co_return fail(received.error());
    Result<void> done = co_await receive(file, received->fd());
    if (!done) co_return done;
    const std::string shown = sanitize_utf8(ours.root + "/" + ours.inside);
    Result<std::string> kept;
    if (conflict) kept = keep_copy(options_.home, *place);
    if (kept) done = received->put_in_place(*place, file.facts);
    if (!kept) done = fail(kept.error());
    if (!done) co_return fail(done.error().kind(), shown + ": " + done.error().message());
    if (conflict) {
      result.notices.push_back("Conflict: " + shown +
                               " was changed here and at the target; it is now what the target "
                               "had. Ours is kept as " +
                               *kept);
    }
    co_return done;
  }

  // A target that sends more than it said is not listened to any longer.
  Task<Result<void>> receive(const environment::FileInfo& file, int to) {
    Result<void> stored;
    std::uint64_t got = 0;
    Sha256 digest;
    CancelToken enough;
    cancel_.on_cancel([enough]() mutable { enough.cancel(); });
    const auto take = [&](std::string_view piece) {
      got += piece.size();
      if (!stored) return;
      stored = got > file.facts.size ? fail(ErrorKind::system, "it has changed meanwhile")
                                     : os::write_all(to, piece);
      digest.add(piece);
      if (!stored) enough.cancel();
    };
    const auto read = co_await files_.read({file.path, options_.base}, 0, 0, take, enough);
    cancel_.on_cancel(nullptr);
    if (cancel_.cancelled()) co_return fail(ErrorKind::interrupted, "interrupted");
    if (!stored) co_return fail(stored.error().kind(), file.path + ": " + stored.error().message());
    if (!read) co_return fail(read.error());
    const bool whole = got == file.facts.size;
    if (!whole || (!file.sha256.empty() && digest.hex() != file.sha256)) {
      co_return fail(ErrorKind::system, file.path + ": it has changed meanwhile");
    }
    co_return Result<void>();
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
