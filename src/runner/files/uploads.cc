#include "runner/files/uploads.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "runner/files/file_place.h"

namespace talaria::runner {
namespace {

using Clock = std::chrono::steady_clock;

// What of `data`, which begins at the cursor `from`, is not there yet.
Result<void> append_from(StagedFile& staged, std::uint64_t from, std::string_view data,
                         bool durable) {
  const std::uint64_t had = staged.size - from;
  if (had >= data.size()) return {};
  return append(staged, data.substr(had), durable);
}

}  // namespace

Result<link::WriteFileReport> Uploads::write(const std::string& home,
                                             const link::WriteFile& piece) {
  if (piece.upload.empty())
    return fail(ErrorKind::bad_request, "WriteFile.upload: an id is required");
  if (const auto known = finished_.find(piece.upload); known != finished_.end()) {
    return known->second;
  }
  const auto upload = begin(home, piece);
  if (!upload) return fail(upload.error());
  const Open::iterator at = *upload;
  link::WriteFileReport report;
  Result<void> taken = take(at->second, piece);
  if (taken && piece.last) {
    auto entry = put_in_place(at->second.staged, piece);
    report.done = entry.has_value();
    if (entry) {
      report.entry = std::move(*entry);
    } else {
      taken = fail(entry.error());
    }
  }
  report.next = at->second.staged.size;
  report.ahead = kUploadAhead;
  if (!taken) discard(at->second.staged);
  if (report.done || !taken) open_.erase(at);
  if (!taken) return fail(taken.error());
  if (report.done) remember(piece.upload, report);
  set_timer();
  return report;
}

Result<Uploads::Open::iterator> Uploads::begin(const std::string& home,
                                               const link::WriteFile& piece) {
  if (const auto found = open_.find(piece.upload); found != open_.end()) {
    found->second.touched = Clock::now();
    return found;
  }
  if (piece.from != 0) {
    return fail(ErrorKind::not_found, "no upload '" + sanitize_utf8(piece.upload) +
                                          "': nothing of it came for a while; begin again");
  }
  if (open_.size() >= kMaxUploads) {
    return fail(ErrorKind::limit, std::to_string(kMaxUploads) + " uploads are under way already");
  }
  Upload upload{.touched = Clock::now()};
  if (const auto ready = prepare(upload.staged, home, piece); !ready) {
    discard(upload.staged);
    return fail(ready.error());
  }
  return open_.emplace(piece.upload, std::move(upload)).first;
}

Result<void> Uploads::prepare(StagedFile& staged, const std::string& home,
                              const link::WriteFile& piece) {
  auto place =
      find_place(home, {piece.path, piece.below}, true, piece.parents, &staged.made_directories);
  if (!place) return fail(place.error());
  staged.place = std::move(*place);
  if (const auto fine = check_replaceable(staged.place); !fine) return fail(fine.error());
  if (const auto fine = check_expected(staged.place, piece.expected); !fine) {
    return fail(fine.error());
  }
  if (const auto made = open_staged(staged); !made) return fail(made.error());
  // Blocks that are not needed after all are given back when it ends.
  if (piece.size > piece.data.size() &&
      ::fallocate(staged.file.get(), FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(piece.size)) < 0 &&
      (errno == ENOSPC || errno == EDQUOT || errno == EFBIG)) {
    return fail(file_error(staged.place.path, errno));
  }
  return {};
}

// With what had overtaken it.
Result<void> Uploads::take(Upload& upload, const link::WriteFile& piece) {
  if (piece.from > upload.staged.size) return hold(upload, piece);
  Result<void> taken = append_from(upload.staged, piece.from, piece.data, piece.durable);
  while (taken && !upload.ahead.empty()) {
    const auto next = upload.ahead.begin();
    if (next->first > upload.staged.size) break;
    taken = append_from(upload.staged, next->first, next->second, piece.durable);
    upload.ahead_bytes -= next->second.size();
    upload.ahead.erase(next);
  }
  return taken;
}

Result<void> Uploads::hold(Upload& upload, const link::WriteFile& piece) {
  if (upload.ahead.contains(piece.from)) return {};
  if (piece.last || upload.ahead_bytes + piece.data.size() > kUploadAhead) {
    return fail(ErrorKind::bad_request, "WriteFile.from: bytes before it are missing");
  }
  upload.ahead_bytes += piece.data.size();
  upload.ahead.emplace(piece.from, piece.data);
  return {};
}

Result<link::FileEntry> Uploads::put_in_place(StagedFile& staged, const link::WriteFile& piece) {
  const FilePlace& place = staged.place;
  const int directory = place.at.directory.get();
  if (const auto fine = check_replaceable(place); !fine) return fail(fine.error());
  if (const auto fine = check_expected(place, piece.expected); !fine) return fail(fine.error());
  (void)::ftruncate(staged.file.get(), static_cast<off_t>(staged.size));  // blocks beyond its end
  const Dress how{.like = &place, .mode = piece.mode, .mtime_ns = piece.mtime_ns};
  if (const auto dressed = dress(staged, how); !dressed) return fail(dressed.error());
  if (piece.durable && ::fdatasync(staged.file.get()) < 0) {
    return fail(file_error(place.path, errno));
  }
  if (const auto named = give_hidden_name(staged); !named) return fail(named.error());
  if (::renameat(directory, staged.hidden.c_str(), directory, place.at.name.c_str()) < 0) {
    return fail(file_error(place.path, errno));
  }
  if (piece.durable) ::fsync(directory);
  const auto facts = os::file_facts(staged.file.get());
  return entry_of(place.path, facts.value_or(os::FileFacts{.size = staged.size}));
}

Result<StagedFile> Uploads::claim(const std::string& id, std::uint64_t size) {
  const auto found = open_.find(id);
  if (found == open_.end()) {
    return fail(ErrorKind::not_found, "no upload '" + sanitize_utf8(id) + "'; begin again");
  }
  if (found->second.staged.size != size) {
    return fail(ErrorKind::bad_request, "upload '" + sanitize_utf8(id) + "' is not complete");
  }
  StagedFile staged = std::move(found->second.staged);
  open_.erase(found);
  return staged;
}

void Uploads::remember(const std::string& id, const link::WriteFileReport& report) {
  finished_.emplace(id, report);
  finished_order_.push_back(id);
  if (finished_order_.size() <= kMaxFinishedUploads) return;
  finished_.erase(finished_order_.front());
  finished_order_.pop_front();
}

void Uploads::drop_all() {
  for (const auto& [id, upload] : open_) discard(upload.staged);
  open_.clear();
  timer_.cancel();
}

void Uploads::drop_idle() {
  const auto idle = [&](const auto& entry) {
    if (Clock::now() - entry.second.touched < patience_) return false;
    discard(entry.second.staged);
    return true;
  };
  std::erase_if(open_, idle);
}

// It is only set while there is something to drop, for the one that waits longest: a busy runner
// gets pieces of others all the time.
void Uploads::set_timer() {
  timer_.cancel();
  if (open_.empty()) return;
  const auto oldest =
      std::ranges::min_element(open_, {}, [](const auto& entry) { return entry.second.touched; });
  timer_.expires_at(oldest->second.touched + patience_);
  timer_.async_wait([this](boost::system::error_code error) {
    if (error) return;
    drop_idle();
    set_timer();
  });
}

}  // namespace talaria::runner
