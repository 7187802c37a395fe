#include "environment/link_files.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <utility>

#include "base/off_loop.h"
#include "environment/end_runner.h"
#include "os/random.h"

namespace talaria::environment {
namespace {

constexpr std::size_t kPiece = 512 * 1024;         // of a file, in one request ...
constexpr std::size_t kLargestPiece = 4 * kPiece;  // ... over a link on which that is quick
constexpr auto kQuickPiece = std::chrono::milliseconds(100);
constexpr std::size_t kFilesAtOnce = 32;               // on their way
constexpr std::size_t kBytesAtOnce = 4 * 1024 * 1024;  // of them
constexpr std::size_t kRemovedAtOnce = 1000;
constexpr std::uint32_t kMadeParents = 0777;  // less the umask of the runner

FileInfo from_link(link::FileEntry entry) {
  return {.path = std::move(entry.path),
          .facts = {.kind = static_cast<os::FileKind>(entry.kind),
                    .size = entry.size,
                    .mtime_ns = entry.mtime_ns,
                    .mode = entry.mode},
          .sha256 = std::move(entry.sha256),
          .link_to = std::move(entry.link_to),
          .uid = entry.uid,
          .gid = entry.gid};
}

Result<std::string> read_piece(const FileToWrite& file, std::size_t size) {
  std::string piece;
  while (piece.size() < size) {
    auto more = file.next(size - piece.size());
    if (!more) return more;
    if (more->empty()) break;
    piece += *more;
  }
  return piece;
}

Task<Result<std::string>> later_piece(const FileToWrite& file, std::size_t size) {
  std::string piece;
  while (piece.size() < size) {
    auto more = co_await file.next_later(size - piece.size());
    if (!more) co_return more;
    if (more->empty()) break;
    piece += *more;
  }
  co_return piece;
}

// As much of the next piece as there is. `file` outlives the call.
Task<Result<std::string>> next_piece(const FileToWrite& file, std::size_t size) {
  if (file.next_later) co_return co_await later_piece(file, size);
  if (!file.waits_for_disk) co_return read_piece(file, size);
  co_return co_await off_loop([&] { return read_piece(file, size); });
}

Task<Result<link::WriteFile>> first_piece(const FileToWrite& file) {
  auto data = co_await next_piece(file, kPiece);
  if (!data) co_return fail(data.error());
  link::WriteFile piece{.path = file.to.path,
                        .below = file.to.below,
                        .upload = os::random_hex(12),
                        .data = std::move(*data),
                        .size = file.size,
                        .mode = file.mode,
                        .mtime_ns = file.mtime_ns,
                        .parents = file.parents,
                        .expected = file.expected,
                        .durable = file.durable};
  piece.last = piece.data.size() < kPiece;
  co_return piece;
}

Result<FileInfo> written(const Result<std::string>& answer) {
  auto report = report_of<link::WriteFileReport>(answer);
  if (!report) return fail(report.error());
  if (!report->done) return fail(ErrorKind::system, "the runner did not put the file in place");
  return from_link(std::move(report->entry));
}

// Pieces of one file that were sent and not yet answered.
class PiecesUnderWay {
 public:
  explicit PiecesUnderWay(link::LinkDriver& driver) : driver_(driver) {}

  bool empty() const { return pieces_.empty(); }
  std::size_t bytes() const { return bytes_; }
  std::size_t best_size() const { return best_size_; }  // for the next one

  Result<void> begin(const link::WriteFile& piece) {
    auto pending = driver_.begin(piece);
    if (!pending) return fail(pending.error());
    bytes_ += piece.data.size();
    pieces_.push_back({piece.data.size(), Clock::now(), std::move(*pending)});
    return {};
  }

  Task<Result<void>> finish_first(CancelToken cancel) {
    Piece first = std::move(pieces_.front());
    pieces_.pop_front();
    bytes_ -= first.bytes;
    const auto answer = co_await driver_.finish(std::move(first.pending), std::move(cancel));
    if (!answer) co_return fail(answer.error());
    // A large one costs less; but over a slow link the runner would hear nothing of the upload for
    // too long.
    const bool quick = Clock::now() - first.begun < kQuickPiece;
    best_size_ = quick ? std::min(best_size_ * 2, kLargestPiece) : kPiece;
    co_return Result<void>();
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Piece {
    std::size_t bytes = 0;
    Clock::time_point begun;
    std::shared_ptr<link::LinkDriver::Pending> pending;
  };

  link::LinkDriver& driver_;
  std::deque<Piece> pieces_;
  std::size_t bytes_ = 0;
  std::size_t best_size_ = kPiece;
};

}  // namespace

Task<Result<std::optional<FileInfo>>> LinkFiles::stat(TargetPath path, bool follow, bool digest) {
  auto report = report_of<link::StatFileReport>(
      co_await driver_->call(link::StatFile{.path = std::move(path.path),
                                            .below = std::move(path.below),
                                            .follow = follow,
                                            .digest = digest}));
  if (!report) co_return fail(report.error());
  if (!report->found) co_return std::nullopt;
  FileInfo info = from_link(std::move(report->entry));
  info.foreign = report->foreign;
  co_return info;
}

Task<Result<FileContent>> LinkFiles::read(TargetPath path, std::uint64_t from, std::uint64_t max,
                                          std::function<void(std::string_view)> on_data,
                                          CancelToken cancel) {
  const link::ReadFile read{.path = path.path, .below = path.below, .from = from, .max = max};
  link::LinkCall call;
  call.request.data_from = from;
  call.request.data_limit = from + link::kDefaultWindow;
  // Over a new connection: only what is still missing.
  call.request.resume = [read](std::uint64_t received) {
    link::ReadFile rest = read;
    const std::uint64_t got = std::max(received, read.from) - read.from;
    rest.from = read.from + got;
    // Not 0, which means no limit: if only the answer is missing, a byte more comes with it.
    if (read.max > 0) rest.max = std::max<std::uint64_t>(read.max - std::min(got, read.max), 1);
    return link::Call{link::Method::read_file, link::encode(rest)};
  };
  call.on_data = std::move(on_data);
  auto report = report_of<link::ReadFileReport>(
      co_await driver_->call(read, std::move(call), std::move(cancel)));
  if (!report) co_return fail(report.error());
  co_return FileContent{
      .next = report->next, .eof = report->eof, .file = from_link(std::move(report->entry))};
}

Task<Result<link::ReadLinesReport>> LinkFiles::read_lines(link::ReadLines window,
                                                          CancelToken cancel) {
  co_return report_of<link::ReadLinesReport>(
      co_await driver_->call(std::move(window), {}, std::move(cancel)));
}

Task<Result<link::SearchReport>> LinkFiles::search(link::SearchFiles query, CancelToken cancel) {
  co_return report_of<link::SearchReport>(
      co_await driver_->call(std::move(query), {}, std::move(cancel)));
}

// Small files are all under way at once; a large one waits for its turn and goes piece by piece.
Task<std::vector<Result<FileInfo>>> LinkFiles::write(std::vector<FileToWrite> files,
                                                     CancelToken cancel) {
  struct UnderWay {
    std::size_t index = 0;
    std::size_t bytes = 0;
    std::shared_ptr<link::LinkDriver::Pending> pending;
  };
  std::vector<Result<FileInfo>> results;
  results.reserve(files.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    results.emplace_back(fail(ErrorKind::interrupted, "cancelled before it was sent"));
  }
  std::deque<UnderWay> under_way;
  std::size_t bytes = 0;
  std::size_t next = 0;
  while (next < files.size() || !under_way.empty()) {
    const bool room = under_way.size() < kFilesAtOnce && bytes < kBytesAtOnce;
    if (next < files.size() && room) {
      const std::size_t index = next++;
      if (cancel.cancelled()) continue;
      auto piece = co_await first_piece(files[index]);
      if (!piece) {
        results[index] = fail(piece.error());
      } else if (!piece->last) {
        results[index] = co_await write_large(std::move(files[index]), std::move(*piece), cancel);
      } else {
        const std::size_t size = piece->data.size();
        auto pending = driver_->begin(*piece);
        if (!pending) {
          results[index] = fail(pending.error());
        } else {
          bytes += size;
          under_way.push_back({index, size, std::move(*pending)});
        }
      }
      continue;
    }
    UnderWay first = std::move(under_way.front());
    under_way.pop_front();
    results[first.index] = written(co_await driver_->finish(std::move(first.pending), cancel));
    bytes -= first.bytes;
  }
  co_return results;
}

// Behind its first piece, as many are under way as the runner takes ahead of one another; the last
// one waits for all of them.
Task<Result<FileInfo>> LinkFiles::write_large(FileToWrite file, link::WriteFile piece,
                                              CancelToken cancel) {
  const auto report = report_of<link::WriteFileReport>(co_await driver_->call(piece, {}, cancel));
  if (!report) co_return fail(report.error());
  PiecesUnderWay under_way(*driver_);
  for (;;) {
    piece.from += piece.data.size();
    const std::size_t size = under_way.best_size();
    auto data = co_await next_piece(file, size);
    if (!data) co_return fail(data.error());
    piece.data = std::move(*data);
    piece.last = piece.data.size() < size;
    while (!under_way.empty() &&
           (piece.last || under_way.bytes() + piece.data.size() > report->ahead)) {
      if (const auto taken = co_await under_way.finish_first(cancel); !taken) {
        co_return fail(taken.error());
      }
    }
    if (piece.last) co_return written(co_await driver_->call(piece, {}, cancel));
    if (const auto begun = under_way.begin(piece); !begun) co_return fail(begun.error());
  }
}

Task<Result<link::LocateFileReport>> LinkFiles::locate(link::LocateFile wanted) {
  co_return report_of<link::LocateFileReport>(co_await driver_->call(std::move(wanted)));
}

// Two requests on one way.
Task<LocatedLines> LinkFiles::locate_and_read(link::LocateFile wanted, link::ReadLines window,
                                              CancelToken cancel) {
  window.in_session = true;
  window.path = wanted.path;
  window.session = wanted.session;
  window.first_cwd = wanted.first_cwd;
  window.home = wanted.home;
  link::LinkCall first;
  first.another_follows = true;
  const auto place = driver_->begin(wanted, std::move(first));
  const auto lines = driver_->begin(window);
  LocatedLines found{fail(ErrorKind::unavailable, ""), fail(ErrorKind::unavailable, "")};
  found.place = place ? report_of<link::LocateFileReport>(co_await driver_->finish(*place))
                      : Result<link::LocateFileReport>(fail(place.error()));
  found.lines = lines ? report_of<link::ReadLinesReport>(co_await driver_->finish(*lines, cancel))
                      : Result<link::ReadLinesReport>(fail(lines.error()));
  co_return found;
}

// Uploads its content, which is not put in place by that.
Task<Result<link::ChangedFile>> LinkFiles::stage(FileEdit edit, CancelToken cancel) {
  link::ChangedFile changed{.kind = edit.kind,
                            .path = edit.path,
                            .from = edit.from,
                            .expected = edit.expected,
                            .mode = edit.mode};
  if (!edit.content) co_return changed;
  changed.upload = os::random_hex(12);
  changed.size = edit.content->size();
  link::WriteFile piece{.path = edit.path, .upload = changed.upload, .size = changed.size};
  if (edit.kind != link::ChangeKind::modify) piece.parents = kMadeParents;
  do {
    piece.data = edit.content->substr(piece.from, kPiece);
    const Result<std::string> answer = co_await driver_->call(piece, {}, cancel);
    if (!answer) co_return fail(answer.error());
    piece.from += piece.data.size();
  } while (piece.from < changed.size);
  co_return changed;
}

Task<Result<std::vector<FileInfo>>> LinkFiles::change(std::vector<FileEdit> edits,
                                                      CancelToken cancel) {
  link::ChangeFiles changes{.id = os::random_hex(12)};
  for (FileEdit& edit : edits) {
    auto changed = co_await stage(std::move(edit), cancel);
    if (!changed) co_return fail(changed.error());
    changes.files.push_back(std::move(*changed));
  }
  // From here on it is not given up: it is done or not, and the caller has to know.
  auto report = report_of<link::ChangeFilesReport>(co_await driver_->call(std::move(changes)));
  if (!report) co_return fail(report.error());
  std::vector<FileInfo> found;
  for (link::FileEntry& entry : report->entries) found.push_back(from_link(std::move(entry)));
  co_return found;
}

Task<Result<void>> LinkFiles::remove(std::vector<std::string> paths, std::string below) {
  for (std::size_t at = 0; at < paths.size(); at += kRemovedAtOnce) {
    const auto first = paths.begin() + static_cast<std::ptrdiff_t>(at);
    const std::size_t count = std::min(kRemovedAtOnce, paths.size() - at);
    link::RemoveFiles remove{.below = below};
    remove.paths.assign(first, first + static_cast<std::ptrdiff_t>(count));
    const auto report =
        report_of<link::RemoveFilesReport>(co_await driver_->call(std::move(remove)));
    if (!report) co_return fail(report.error());
    if (!report->failed.empty()) {
      co_return fail(ErrorKind::system, report->failed.front().reason);
    }
  }
  co_return Result<void>();
}

Task<Result<std::vector<FileInfo>>> LinkFiles::list(FilesQuery query, CancelToken cancel) {
  std::vector<FileInfo> found;
  link::ListFiles page{.path = query.directory.path,
                       .below = query.directory.below,
                       .deep = query.deep,
                       .digests = query.digests};
  for (;;) {
    auto report = report_of<link::ListFilesReport>(co_await driver_->call(page, {}, cancel));
    if (!report) co_return fail(report.error());
    for (link::FileEntry& entry : report->entries) found.push_back(from_link(std::move(entry)));
    if (!report->more || report->entries.empty()) co_return found;
    if (found.size() >= query.most && query.first_ones) co_return found;
    if (found.size() >= query.most) {
      co_return fail(ErrorKind::limit,
                     query.directory.path + ": over " + std::to_string(query.most) + " entries");
    }
    page.after = found.back().path;
  }
}

}  // namespace talaria::environment
