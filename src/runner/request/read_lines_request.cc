// ReadLines: a window of a file's lines. A file nobody knows the lines of is read once, a bit at a
// time, so that everything else gets its turn.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include "runner/files/file_place.h"
#include "runner/files/line_index.h"
#include "runner/limits.h"
#include "runner/login/file_stamp.h"
#include "runner/request/open_request.h"
#include "runner/request/session_path.h"

namespace talaria::runner {
namespace {

// As much as there is, up to `size`.
Result<std::string> read_piece(int fd, std::uint64_t from, std::uint64_t size) {
  std::string piece(size, '\0');
  std::size_t filled = 0;
  while (filled < piece.size()) {
    const ssize_t got = ::pread(fd, piece.data() + filled, piece.size() - filled,
                                static_cast<off_t>(from + filled));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(Error::from_errno("read"));
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  piece.resize(filled);
  return piece;
}

std::uint64_t bounded(std::uint64_t wanted, std::uint64_t most) {
  return wanted == 0 ? most : std::min(wanted, most);
}

// Leaves at most `max_lines` of whole lines in `data`, or the beginning of one if it is longer than
// all of it. `at_end`: the file ends behind `data`.
void keep_window(link::ReadLinesReport& report, std::uint64_t max_lines, bool at_end) {
  std::string& data = report.data;
  std::size_t end = 0;
  while (report.lines < max_lines && end < data.size()) {
    const std::size_t newline = data.find('\n', end);
    if (newline == std::string::npos) {
      report.cut = !at_end && end == 0;
      if (at_end || report.cut) {
        end = data.size();
        ++report.lines;
      }
      break;
    }
    end = newline + 1;
    ++report.lines;
  }
  data.resize(end);
}

class ReadLinesRequest final : public OpenRequest {
 public:
  ReadLinesRequest(const RequestContext& context, const link::ReadLines& wanted, FilePlace place,
                   os::UniqueFd file)
      : OpenRequest(context, nullptr),
        indexes_(context.parts.line_indexes()),
        wanted_(wanted),
        place_(std::move(place)),
        file_(std::move(file)) {}

  std::optional<Result<std::string>> progress() override {
    if (!scan_) {
      if (::fstat(file_.get(), &info_) < 0) return fail(file_error(place_.path, errno));
      if (const auto known = indexes_.find(identity_of(info_))) return answer(*known);
      scan_.emplace(file_.get(), info_);
      begun_ns_ = file_clock();
    }
    const auto done = scan_->go_on();
    if (!done) return fail(file_error(place_.path, done.error().code()));
    if (!*done) return std::nullopt;
    const auto index = scan_->index();
    remember(index);
    scan_.reset();
    return answer(*index);
  }
  bool wants_turn() const override { return true; }

 private:
  // One that changed meanwhile would be found by nobody, and the times of one that has just been
  // changed may stay the same when it changes again.
  void remember(const std::shared_ptr<const LineIndex>& index) {
    struct stat now{};
    const bool same = ::fstat(file_.get(), &now) == 0 && identity_of(now) == index->file;
    const bool settled = begun_ns_ - index->file.modified_ns > kSettledFile.count() &&
                         begun_ns_ - index->file.changed_ns > kSettledFile.count();
    if (same && settled && index->size > kLineBlock) indexes_.keep(index);
  }

  // Nothing if the file has become shorter: it is looked at again, a few times.
  std::optional<Result<std::string>> answer(const LineIndex& index) {
    link::ReadLinesReport report{.total_lines = index.lines(),
                                 .ends_with_newline = index.ends_with_newline,
                                 .entry = entry_of(place_.path, os::facts_of(info_)),
                                 .device = index.file.device,
                                 .inode = index.file.inode};
    const auto begin = index.begin_of(file_.get(), wanted_.first_line);
    if (!begin) return look_again();
    report.offset = *begin;
    const std::uint64_t want =
        std::min(bounded(wanted_.max_bytes, kMaxLinesBytes), index.size - *begin);
    auto data = read_piece(file_.get(), *begin, want);
    auto head = read_piece(file_.get(), 0, std::min<std::uint64_t>(kFileHead, index.size));
    if (!data) return fail(file_error(place_.path, data.error().code()));
    if (!head) return fail(file_error(place_.path, head.error().code()));
    if (data->size() < want) return look_again();
    report.data = std::move(*data);
    report.head = std::move(*head);
    keep_window(report, bounded(wanted_.max_lines, UINT64_MAX), *begin + want >= index.size);
    return link::encode(report);
  }

  std::optional<Result<std::string>> look_again() {
    if (++looks_ < kMaxLineLooks) return std::nullopt;
    return fail(ErrorKind::unavailable,
                place_.path + ": the file kept changing while it was read; try again");
  }

  LineIndexes& indexes_;
  link::ReadLines wanted_;
  FilePlace place_;
  os::UniqueFd file_;
  struct stat info_{};
  std::optional<LineScan> scan_;
  std::int64_t begun_ns_ = 0;
  int looks_ = 0;
};

}  // namespace

Result<Begun> begin_request(const RequestContext& context, const link::ReadLines& wanted) {
  FileAddress address{wanted.path, wanted.below};
  if (wanted.in_session) {
    const auto meant = session_path(context.parts, {.path = wanted.path,
                                                    .session = wanted.session,
                                                    .first_cwd = wanted.first_cwd,
                                                    .home = wanted.home});
    if (!meant) return fail(meant.error());
    address = {.path = meant->path};
  }
  auto place = find_place(context.parts.home(), address, true);
  if (!place) return fail(place.error());
  auto file = open_to_read(*place);
  if (!file) return fail(file.error());
  return std::make_unique<ReadLinesRequest>(context, wanted, std::move(*place), std::move(*file));
}

}  // namespace talaria::runner
