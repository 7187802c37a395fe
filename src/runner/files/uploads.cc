#include "runner/files/uploads.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "base/text.h"
#include "os/file.h"
#include "os/file_pieces.h"
#include "os/random.h"
#include "runner/files/file_entry.h"

namespace talaria {
namespace {

using Clock = std::chrono::steady_clock;

// What is in place now must be what the writer thinks it replaces.
Result<void> check_expected(const FilePlace& place, const std::optional<std::string>& expected) {
  if (!expected) return {};
  const auto facts = file_facts(place.at.directory.get(), place.at.name);
  const std::string shown = sanitize_utf8(place.path);
  if (expected->empty()) {
    if (!facts) return {};
    return fail(ErrorKind::denied, shown + ": there is a file by now; it was not replaced");
  }
  if (facts && facts->size > kMaxDigestBytes) {
    return fail(ErrorKind::limit, shown + ": too large to be compared first");
  }
  const auto file = open_to_read(place);
  const auto digest = file ? digest_of(file->get()) : Result<std::string>(fail(file.error()));
  if (!digest) return fail(digest.error());
  if (*digest == *expected) return {};
  return fail(ErrorKind::denied, shown + ": it has changed meanwhile; it was not replaced");
}

Result<void> check_replaceable(const FilePlace& place) {
  const auto facts = file_facts(place.at.directory.get(), place.at.name);
  if (!facts || facts->kind == FileKind::file || facts->kind == FileKind::link) return {};
  const bool directory = facts->kind == FileKind::directory;
  return fail(ErrorKind::bad_request,
              sanitize_utf8(place.path) +
                  (directory ? " is a directory" : " is a device, pipe or socket") +
                  "; it was not replaced");
}

// Mode, owner and time, as they were asked for or as the file in its place has them.
Result<void> dress(int file, const FilePlace& place, const WriteFile& how) {
  mode_t mode = how.mode.value_or(0644) & 07777;
  struct stat old{};
  const bool replaces =
      ::fstatat(place.at.directory.get(), place.at.name.c_str(), &old, AT_SYMLINK_NOFOLLOW) == 0 &&
      S_ISREG(old.st_mode);
  if (replaces && !how.mode) {
    mode = old.st_mode & 07777;
    const bool other = old.st_uid != ::geteuid() || old.st_gid != ::getegid();
    if (other && ::fchown(file, old.st_uid, old.st_gid) < 0) mode &= 01777;  // no longer theirs
  }
  if (::fchmod(file, mode) < 0) return fail(file_error(place.path, errno));
  if (how.mtime_ns != 0) {
    const timespec times[2] = {to_timespec(how.mtime_ns), to_timespec(how.mtime_ns)};
    if (::futimens(file, times) < 0) return fail(file_error(place.path, errno));
  }
  return {};
}

}  // namespace

Result<WriteFileReport> Uploads::write(const std::string& home, const WriteFile& piece) {
  if (piece.upload.empty())
    return fail(ErrorKind::bad_request, "WriteFile.upload: an id is required");
  if (const auto known = finished_.find(piece.upload); known != finished_.end()) {
    return known->second;
  }
  const auto upload = begin(home, piece);
  if (!upload) return fail(upload.error());
  const Open::iterator at = *upload;
  WriteFileReport report;
  Result<void> taken = take(at->second, piece);
  if (taken && piece.last) {
    auto entry = put_in_place(at->second, piece);
    report.done = entry.has_value();
    if (entry) {
      report.entry = std::move(*entry);
    } else {
      taken = fail(entry.error());
    }
  }
  report.next = at->second.next;
  if (report.done || !taken) {
    discard(at->second);
    open_.erase(at);
  }
  if (!taken) return fail(taken.error());
  if (report.done) remember(piece.upload, report);
  set_timer();
  return report;
}

Result<Uploads::Open::iterator> Uploads::begin(const std::string& home, const WriteFile& piece) {
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
  auto place = find_place(home, {piece.path, piece.below}, true, piece.parents);
  if (!place) return fail(place.error());
  Upload upload{.place = std::move(*place), .touched = Clock::now()};
  if (const auto fine = check_replaceable(upload.place); !fine) return fail(fine.error());
  if (const auto fine = check_expected(upload.place, piece.expected); !fine) {
    return fail(fine.error());
  }
  if (const auto made = make_file(upload); !made) return fail(made.error());
  // Blocks that are not needed after all are given back when it ends.
  if (piece.size > piece.data.size() &&
      ::fallocate(upload.file.get(), FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(piece.size)) < 0 &&
      (errno == ENOSPC || errno == EDQUOT || errno == EFBIG)) {
    const Error error = file_error(upload.place.path, errno);
    discard(upload);
    return fail(error);
  }
  return open_.emplace(piece.upload, std::move(upload)).first;
}

Result<void> Uploads::make_file(Upload& upload) {
  const int directory = upload.place.at.directory.get();
  // A file without a name gets one by way of /proc, which may be missing.
  if (::access("/proc/self/fd", X_OK) == 0) {
    auto file = open_file_at(directory, ".", O_TMPFILE | O_WRONLY, 0600);
    if (file) {
      upload.file = std::move(*file);
      return {};
    }
  }
  upload.hidden = ".talaria-" + random_hex(8);
  auto file = open_file_at(directory, upload.hidden, O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (!file) return fail(file_error(upload.place.path, file.error().code()));
  upload.file = std::move(*file);
  return {};
}

Result<void> Uploads::take(Upload& upload, const WriteFile& piece) {
  if (piece.from > upload.next) {
    return fail(ErrorKind::bad_request, "WriteFile.from: bytes before it are missing");
  }
  const std::uint64_t had = upload.next - piece.from;
  if (had >= piece.data.size()) return {};
  const std::string_view fresh = std::string_view(piece.data).substr(had);
  const auto written = write_all(upload.file.get(), fresh);
  if (!written) return fail(file_error(upload.place.path, written.error().code()));
  if (piece.durable) {  // begun now, so that the end need not wait for all of it
    ::sync_file_range(upload.file.get(), static_cast<off_t>(upload.next),
                      static_cast<off_t>(fresh.size()), SYNC_FILE_RANGE_WRITE);
  }
  upload.next += fresh.size();
  return {};
}

Result<FileEntry> Uploads::put_in_place(Upload& upload, const WriteFile& piece) {
  const FilePlace& place = upload.place;
  const int directory = place.at.directory.get();
  if (const auto fine = check_replaceable(place); !fine) return fail(fine.error());
  if (const auto fine = check_expected(place, piece.expected); !fine) return fail(fine.error());
  (void)::ftruncate(upload.file.get(), static_cast<off_t>(upload.next));  // blocks beyond its end
  if (const auto dressed = dress(upload.file.get(), place, piece); !dressed) {
    return fail(dressed.error());
  }
  if (piece.durable && ::fdatasync(upload.file.get()) < 0) {
    return fail(file_error(place.path, errno));
  }
  if (upload.hidden.empty()) {
    const std::string name = ".talaria-" + random_hex(8);
    const std::string handle = "/proc/self/fd/" + std::to_string(upload.file.get());
    if (::linkat(AT_FDCWD, handle.c_str(), directory, name.c_str(), AT_SYMLINK_FOLLOW) < 0) {
      return fail(file_error(place.path, errno));
    }
    upload.hidden = name;
  }
  if (::renameat(directory, upload.hidden.c_str(), directory, place.at.name.c_str()) < 0) {
    return fail(file_error(place.path, errno));
  }
  upload.hidden.clear();
  if (piece.durable) ::fsync(directory);
  const auto facts = file_facts(upload.file.get());
  return entry_of(place.path, facts.value_or(FileFacts{.size = upload.next}));
}

void Uploads::discard(const Upload& upload) {
  if (upload.hidden.empty()) return;
  ::unlinkat(upload.place.at.directory.get(), upload.hidden.c_str(), 0);
}

void Uploads::remember(const std::string& id, const WriteFileReport& report) {
  finished_.emplace(id, report);
  finished_order_.push_back(id);
  if (finished_order_.size() <= kMaxFinishedUploads) return;
  finished_.erase(finished_order_.front());
  finished_order_.pop_front();
}

void Uploads::drop_all() {
  for (const auto& [id, upload] : open_) discard(upload);
  open_.clear();
  timer_.cancel();
}

void Uploads::drop_idle() {
  const auto idle = [&](const auto& entry) {
    if (Clock::now() - entry.second.touched < patience_) return false;
    discard(entry.second);
    return true;
  };
  std::erase_if(open_, idle);
}

// It is only set while there is something to drop.
void Uploads::set_timer() {
  timer_.cancel();
  if (open_.empty()) return;
  timer_.expires_after(patience_);
  timer_.async_wait([this](boost::system::error_code error) {
    if (error) return;
    drop_idle();
    set_timer();
  });
}

}  // namespace talaria
