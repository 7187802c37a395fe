#include "host/sync/push_round.h"

#include <unistd.h>

#include <cerrno>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "base/off_loop.h"
#include "base/sha256.h"
#include "base/text.h"
#include "host/sync/theirs.h"
#include "os/below.h"
#include "os/file.h"

namespace talaria::host {
namespace {

constexpr std::uint32_t kSecretMode = 0600;
constexpr std::uint32_t kParentsMode = 0700;
constexpr std::uint64_t kMaxComparedBytes = 256u << 20;  // the target digests no larger file

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

std::string first_part(const std::string& path) { return path.substr(0, path.find('/')); }

std::string digest_of_ours(const SharedFile& file) {
  const auto open = os::open_file_below(file.root, file.inside);
  return open ? os::digest_of(open->get()).value_or("") : "";
}

class PushRound {
 public:
  PushRound(environment::Files& files, const SharedList& list, PushRoundOptions options,
            CancelToken cancel, PushResult& result)
      : files_(files),
        list_(list),
        options_(std::move(options)),
        cancel_(std::move(cancel)),
        result_(result),
        next_(result.known) {}

  Task<Result<void>> run() {
    std::vector<std::string> ours, removed;
    for (const auto& [path, file] : list_.files) {
      const PushedFile* const known = known_of(path);
      const bool same = known && is_unchanged(file.facts, known->from.facts);
      if (options_.all || !same) ours.push_back(path);
    }
    for (const auto& [path, file] : next_) {
      if (!list_.files.contains(path)) removed.push_back(path);
    }
    Result<void> done = co_await look_at_target(ours, removed);
    for (const std::string& path : ours) {
      if (done) done = co_await plan(path);
    }
    if (done) done = co_await send();
    if (done) done = co_await remove(removed);
    if (!done) {
      result_.changed.clear();
      co_return done;
    }
    result_.known = std::move(next_);
    co_return Result<void>();
  }

 private:
  const PushedFile* known_of(const std::string& path) const {
    const auto found = next_.find(path);
    return found == next_.end() ? nullptr : &found->second;
  }
  const os::FileFacts* theirs_of(const std::string& path) const {
    const auto found = there_.find(path);
    return found == there_.end() ? nullptr : &found->second;
  }
  void know(const std::string& path, PushedFile file) {
    next_.insert_or_assign(path, std::move(file));
    result_.changed.insert(path);
  }

  void note_there(const std::string& path, const os::FileFacts& facts) {
    if (facts.kind == os::FileKind::file) there_.emplace(path, facts);
    if (facts.kind == os::FileKind::link) links_.insert(path);
  }

  // Files that are at the target now, of those that this round may replace or remove.
  Task<Result<void>> look_at_target(const std::vector<std::string>& ours,
                                    const std::vector<std::string>& removed) {
    std::set<std::string> directories, secrets;
    for (const std::string& path : ours) {
      const bool secret = list_.files.at(path).secret;
      (secret ? secrets : directories).insert(secret ? path : first_part(path));
    }
    for (const std::string& path : removed) {
      const bool secret = next_.at(path).from.secret;
      (secret ? secrets : directories).insert(secret ? path : first_part(path));
    }
    for (const std::string& path : secrets) {
      const auto found = co_await files_.stat({path, options_.base}, false, false);
      if (!found) co_return fail(found.error());
      if (*found) note_there(path, (*found)->facts);
    }
    for (const std::string& directory : directories) {
      const auto found =
          co_await files_.list({.directory = {directory, options_.base}, .deep = true}, cancel_);
      if (!found && found.error().kind() == ErrorKind::not_found) continue;
      if (!found) co_return fail(found.error());
      for (const environment::FileInfo& one : *found) {
        note_there(directory + "/" + one.path, one.facts);
      }
    }
    co_return Result<void>();
  }

  Task<Result<void>> plan(const std::string& path) {
    const SharedFile& ours = list_.files.at(path);
    const os::FileFacts* const theirs = theirs_of(path);
    const PushedFile* const known = known_of(path);
    switch (push_step(ours.facts, theirs, known)) {
      case PushStep::nothing:
        break;
      case PushStep::note:
        know(path, PushedFile{ours, *theirs, ""});
        break;
      case PushStep::replace:
        add(path, theirs ? known->sha256 : "", theirs == nullptr);
        break;
      case PushStep::compare:
        co_return co_await keep_if_different(path);
    }
    co_return Result<void>();
  }

  // `replaced`: the digest of what is there; empty: unknown, or nothing if `none`. A link is
  // replaced in any case: it has no content.
  void add(const std::string& path, const std::string& replaced, bool none) {
    const SharedFile& file = list_.files.at(path);
    const auto source = std::make_shared<Source>(file);
    const os::FileFacts* const theirs = theirs_of(path);
    const bool is_known =
        none || (!replaced.empty() && theirs && theirs->size <= kMaxComparedBytes);
    const bool compared = is_known && !links_.contains(path);
    sources_.emplace_back(path, source);
    uploads_.push_back({.to = {path, options_.base},
                        .size = file.facts.size,
                        .next = [source](std::size_t most) { return source->next(most); },
                        .waits_for_disk = true,
                        .mode = file.secret ? kSecretMode : file.facts.mode & 0777,
                        .mtime_ns = file.facts.mtime_ns,
                        .parents = kParentsMode,
                        .expected = compared ? std::optional(replaced) : std::nullopt});
  }

  Task<Result<void>> keep_if_different(const std::string& path) {
    const SharedFile& ours = list_.files.at(path);
    auto theirs = co_await files_.stat({path, options_.base}, false, true);
    if (!theirs) co_return fail(theirs.error());
    if (!*theirs) {
      add(path, "", true);
      co_return Result<void>();
    }
    environment::FileInfo& file = **theirs;
    file.path = path;
    if (!file.sha256.empty() && file.facts.size == ours.facts.size) {
      const std::string digest = co_await off_loop([&] { return digest_of_ours(ours); });
      if (digest == file.sha256) {
        know(path, PushedFile{ours, file.facts, digest});
        co_return Result<void>();
      }
    }
    if (const auto kept = co_await keep(file, "was replaced by ours"); !kept) co_return kept;
    there_.insert_or_assign(path, file.facts);
    add(path, file.sha256, false);
    co_return Result<void>();
  }

  Task<Result<void>> keep(const environment::FileInfo& file, const std::string& fate) {
    const auto kept =
        co_await keep_theirs(files_, options_.home, options_.base, file, CancelToken(cancel_));
    if (!kept) co_return fail(kept.error());
    if (kept->is_new) {
      result_.notices.push_back("Conflict: " + sanitize_utf8(file.path) +
                                " at the target differed from ours and " + fate +
                                ". Theirs is kept as " + kept->path);
    }
    co_return Result<void>();
  }

  Task<Result<void>> send() {
    if (uploads_.empty()) co_return Result<void>();
    std::vector<std::optional<std::string>> expected;
    for (const environment::FileToWrite& one : uploads_) expected.push_back(one.expected);
    const auto results = co_await files_.write(std::move(uploads_), cancel_);
    for (std::size_t i = 0; i < results.size(); ++i) {
      const auto& [path, source] = sources_[i];
      if (source->skipped) continue;
      if (results[i]) {
        know(path, PushedFile{source->file, results[i]->facts, source->digest.hex()});
        continue;
      }
      const bool changed = expected[i] && results[i].error().kind() == ErrorKind::denied &&
                           co_await is_other(path, *expected[i]);
      if (!changed) co_return fail(results[i].error());
    }
    co_return Result<void>();
  }

  // Whether somebody wrote there after we looked. Then it stays; the next round looks again.
  Task<bool> is_other(std::string path, std::string expected) {
    const auto now = co_await files_.stat({std::move(path), options_.base}, false, true);
    if (!now) co_return false;
    co_return expected.empty() ? now->has_value() : *now && (*now)->sha256 != expected;
  }

  // What was changed there stays, but a credential does not.
  Task<Result<void>> remove(const std::vector<std::string>& paths) {
    std::vector<std::string> gone;
    for (const std::string& path : paths) {
      const PushedFile& known = next_.at(path);
      const os::FileFacts* const theirs = theirs_of(path);
      const bool changed = theirs && !is_unchanged(*theirs, known.there);
      if (changed && known.from.secret) {
        const environment::FileInfo file{.path = path, .facts = *theirs, .sha256 = ""};
        if (const auto kept = co_await keep(file, "was removed there"); !kept) co_return kept;
      }
      if (theirs && (known.from.secret || !changed)) gone.push_back(path);
      next_.erase(path);
      result_.changed.insert(path);
    }
    if (gone.empty()) co_return Result<void>();
    co_return co_await files_.remove(gone, options_.base);
  }

  environment::Files& files_;
  const SharedList& list_;
  PushRoundOptions options_;
  CancelToken cancel_;
  PushResult& result_;
  PushedFiles next_;
  std::map<std::string, os::FileFacts> there_;
  std::set<std::string> links_;  // that are there
  std::vector<std::pair<std::string, std::shared_ptr<Source>>> sources_;
  std::vector<environment::FileToWrite> uploads_;
};

}  // namespace

PushStep push_step(const os::FileFacts& ours, const os::FileFacts* theirs,
                   const PushedFile* known) {
  if (!theirs) return PushStep::replace;
  const bool equal = is_unchanged(*theirs, ours);
  if (known && was_same(*known)) {
    const bool theirs_changed = !is_unchanged(*theirs, known->there);
    const bool ours_changed = !is_unchanged(ours, known->from.facts);
    if (!theirs_changed) return ours_changed ? PushStep::replace : PushStep::nothing;
    // Somebody stopped between copying it and writing that down.
    return equal && ours_changed ? PushStep::note : PushStep::nothing;
  }
  if (known && is_unchanged(*theirs, known->there) && is_unchanged(ours, known->from.facts)) {
    return PushStep::nothing;
  }
  if (equal || theirs->mtime_ns > ours.mtime_ns) return PushStep::note;
  return PushStep::compare;
}

Task<Result<void>> push_round(environment::Files& files, const SharedList& list,
                              PushRoundOptions options, CancelToken cancel, PushResult& result) {
  PushRound round(files, list, std::move(options), std::move(cancel), result);
  co_return co_await round.run();
}

}  // namespace talaria::host
