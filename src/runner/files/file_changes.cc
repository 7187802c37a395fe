#include "runner/files/file_changes.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "base/text.h"
#include "runner/files/file_place.h"

namespace talaria::runner {
namespace {

int link_beside(const FilePlace& from, const FilePlace& to, const std::string& name) {
  return ::linkat(from.at.directory.get(), from.at.name.c_str(), to.at.directory.get(),
                  name.c_str(), 0);
}

int rename_in(const FilePlace& place, const std::string& from, const std::string& to) {
  return ::renameat(place.at.directory.get(), from.c_str(), place.at.directory.get(), to.c_str());
}

int remove_in(const FilePlace& place, const std::string& name) {
  return ::unlinkat(place.at.directory.get(), name.c_str(), 0);
}

// One change, prepared beside its places. `old` is what it takes away or replaces, `next` what it
// puts in place.
struct Step {
  const link::ChangedFile* what = nullptr;
  std::optional<FilePlace> old;
  std::optional<StagedFile> next;
  std::string aside;      // a second name of `old`, to bring it back by
  bool is_aside = false;  // where there are no second names: it has no other one now
  bool placed = false;
};

class Transaction {
 public:
  Transaction(const std::string& home, Uploads& uploads) : home_(home), uploads_(uploads) {}
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  ~Transaction() {
    for (const Step& step : steps_) {
      if (!step.aside.empty()) remove_in(*step.old, step.aside);
      if (step.next && !done_) discard(*step.next);
    }
  }

  Result<link::ChangeFilesReport> run(const link::ChangeFiles& changes) {
    steps_.reserve(changes.files.size());
    for (const link::ChangedFile& file : changes.files) {
      steps_.push_back({.what = &file});
      if (const auto ready = prepare(steps_.back()); !ready) return fail(ready.error());
    }
    if (const auto made = make_all(); !made) return fail(taken_back(made.error()));
    done_ = true;
    return report();
  }

 private:
  Result<void> prepare(Step& step) {
    const link::ChangedFile& what = *step.what;
    const bool is_new = what.kind == link::ChangeKind::create;
    const std::string& old_path = what.kind == link::ChangeKind::move ? what.from : what.path;
    auto content = find_place(home_, {old_path, ""}, true, std::nullopt);
    if (!is_new && !content) return fail(content.error());
    if (!what.upload.empty()) {
      auto staged = uploads_.claim(what.upload, what.size);
      if (!staged) return fail(staged.error());
      step.next = std::move(*staged);
      const Dress how{.like = is_new ? nullptr : &*content, .mode = what.mode};
      if (const auto dressed = dress(*step.next, how); !dressed) return dressed;
      if (const auto named = give_hidden_name(*step.next); !named) return named;
    } else if (is_new || what.kind == link::ChangeKind::modify) {
      return fail(ErrorKind::bad_request, "ChangedFile.upload: an id is required");
    }
    if (is_new) return {};
    if (const auto fine = check_expected(*content, what.expected); !fine) return fine;
    // Content is changed behind a link; a link is removed or moved itself.
    auto old = find_place(home_, {old_path, ""}, what.kind == link::ChangeKind::modify);
    if (!old) return fail(old.error());
    step.old = std::move(*old);
    if (const auto aside = keep_aside(step); !aside) return aside;
    return what.kind == link::ChangeKind::move && !step.next ? stage_move(step) : Result<void>();
  }

  // Where a filesystem has no second names, it gets its one when the change is made.
  static Result<void> keep_aside(Step& step) {
    const std::string name = hidden_name();
    if (link_beside(*step.old, *step.old, name) == 0) {
      step.aside = name;
      return {};
    }
    const bool unknown = errno == EPERM || errno == EOPNOTSUPP || errno == EMLINK;
    return unknown ? Result<void>() : fail(file_error(step.old->path, errno));
  }

  // As it is, at its new place.
  Result<void> stage_move(Step& step) {
    StagedFile next;
    auto place =
        find_place(home_, {step.what->path, ""}, false, kMovedParents, &next.made_directories);
    if (!place) {
      discard(next);
      return fail(place.error());
    }
    next.place = std::move(*place);
    const std::string name = hidden_name();
    if (link_beside(*step.old, next.place, name) == 0) {
      next.hidden = name;
    } else if (errno == EXDEV) {
      discard(next);
      return fail(ErrorKind::bad_request,
                  sanitize_utf8(step.what->path) +
                      " is on another filesystem; move it by a command, such as mv");
    }
    step.next = std::move(next);
    return {};
  }

  Result<void> make_all() {
    for (Step& step : steps_) {
      if (!step.old || !step.aside.empty()) continue;
      const std::string name = hidden_name();
      if (rename_in(*step.old, step.old->at.name, name) < 0) {
        return fail(file_error(step.old->path, errno));
      }
      step.aside = name;
      step.is_aside = true;
    }
    for (Step& step : steps_) {
      if (!step.next) continue;
      if (put_in_place(step) < 0) return fail(file_error(step.next->place.path, errno));
      step.placed = true;
      step.next->hidden.clear();
    }
    for (const Step& step : steps_) {
      if (!step.old || step.is_aside || is_placed(*step.old)) continue;
      if (remove_in(*step.old, step.old->at.name) < 0 && errno != ENOENT) {
        return fail(file_error(step.old->path, errno));
      }
    }
    return {};
  }

  // Over nothing but what another step has aside.
  int put_in_place(Step& step) const {
    const FilePlace& place = step.next->place;
    if (!step.next->hidden.empty()) return rename_into(place, place, step.next->hidden);
    // A move without second names: the one it has aside.
    const int moved = rename_into(place, *step.old, step.aside);
    if (moved == 0) step.aside.clear();
    return moved;
  }

  int rename_into(const FilePlace& place, const FilePlace& from, const std::string& hidden) const {
    const int directory = place.at.directory.get();
    const char* name = place.at.name.c_str();
    const int source = from.at.directory.get();
    if (is_old(place)) return ::renameat(source, hidden.c_str(), directory, name);
    const int done = ::renameat2(source, hidden.c_str(), directory, name, RENAME_NOREPLACE);
    if (done == 0 || errno != EINVAL) return done;
    if (::faccessat(directory, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
      errno = EEXIST;
      return -1;
    }
    return ::renameat(source, hidden.c_str(), directory, name);
  }

  bool is_old(const FilePlace& place) const {
    return std::ranges::any_of(
        steps_, [&](const Step& step) { return step.old && step.old->path == place.path; });
  }
  bool is_placed(const FilePlace& place) const {
    return std::ranges::any_of(steps_, [&](const Step& step) {
      return step.placed && step.next->place.path == place.path;
    });
  }

  // Of a file that moved here without a second name.
  bool has_an_only_copy(const FilePlace& place) const {
    return std::ranges::any_of(steps_, [&](const Step& step) {
      return step.placed && step.old && step.aside.empty() && step.next->place.path == place.path;
    });
  }

  // What to say after everything is as it was, or as much of it as possible.
  Error taken_back(const Error& error) {
    std::string left;
    // First of all what has no second name goes aside again: where it was there may be another.
    for (Step& step : steps_) {
      if (!step.placed || !step.old || !step.aside.empty()) continue;
      const FilePlace& place = step.next->place;
      const std::string name = hidden_name();
      if (::renameat(place.at.directory.get(), place.at.name.c_str(), step.old->at.directory.get(),
                     name.c_str()) < 0) {
        left += "\n  • " + file_error(place.path, errno).message();
        continue;
      }
      step.aside = name;
      step.placed = false;
    }
    for (const Step& step : steps_) {
      if (!step.placed || is_old(step.next->place)) continue;
      if (has_an_only_copy(step.next->place)) continue;
      const FilePlace& place = step.next->place;
      if (remove_in(place, place.at.name) < 0) {
        left += "\n  • " + file_error(place.path, errno).message();
      }
    }
    for (Step& step : steps_) {
      if (step.aside.empty()) continue;
      errno = EEXIST;
      if (has_an_only_copy(*step.old) || rename_in(*step.old, step.aside, step.old->at.name) < 0) {
        left += "\n  • " + file_error(step.old->path, errno).message() + " (what it was is in " +
                step.aside + ")";
        step.aside.clear();  // it stays, for a person to find
      }
    }
    if (left.empty()) return error;
    return Error(error.kind(),
                 error.message() + "; " + std::string(link::kNotTakenBack) + ":" + left);
  }

  link::ChangeFilesReport report() const {
    link::ChangeFilesReport report;
    for (const Step& step : steps_) {
      if (!step.next) {
        report.entries.emplace_back();
        continue;
      }
      const FilePlace& place = step.next->place;
      const auto facts = os::file_facts(place.at.directory.get(), place.at.name);
      report.entries.push_back(entry_of(place.path, facts.value_or(os::FileFacts())));
    }
    return report;
  }

  static constexpr std::uint32_t kMovedParents = 0755;

  const std::string& home_;
  Uploads& uploads_;
  std::vector<Step> steps_;
  bool done_ = false;
};

}  // namespace

Result<link::ChangeFilesReport> FileChanges::apply(const std::string& home, Uploads& uploads,
                                                   const link::ChangeFiles& changes) {
  if (changes.id.empty()) {
    return fail(ErrorKind::bad_request, "ChangeFiles.id: an id is required");
  }
  for (const auto& [id, report] : done_) {
    if (id == changes.id) return report;
  }
  auto report = Transaction(home, uploads).run(changes);
  if (!report) return report;
  done_.emplace_back(changes.id, *report);
  if (done_.size() > kMaxFileChanges) done_.pop_front();
  return report;
}

}  // namespace talaria::runner
