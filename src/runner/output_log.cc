#include "runner/output_log.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>

#include "os/file.h"

namespace talaria {

OutputLog::OutputLog(std::size_t head_size, std::size_t tail_size, SpillOptions spill)
    : head_size_(head_size), tail_size_(tail_size), options_(std::move(spill)) {}

OutputLog::~OutputLog() {
  if (!spill_path_.empty()) ::unlink(spill_path_.c_str());
}

void OutputLog::append(std::string_view bytes) {
  // Opened while memory still holds everything before: the tail has not dropped a byte yet.
  const std::uint64_t after = std::min<std::uint64_t>(options_.after, head_size_ + tail_size_);
  if (!spill_closed_ && (file_ || total_ + bytes.size() > after)) spill(bytes);
  const std::size_t to_head = std::min(bytes.size(), head_size_ - head_.size());
  head_.append(bytes.substr(0, to_head));
  total_ += to_head;
  append_to_tail(bytes.substr(to_head));
}

void OutputLog::append_to_tail(std::string_view bytes) {
  total_ += bytes.size();
  if (bytes.size() >= tail_size_) {
    tail_.assign(bytes.substr(bytes.size() - tail_size_));
    tail_at_ = 0;
    tail_used_ = tail_size_;
    return;
  }
  if (tail_.size() < tail_size_) {
    const std::size_t grow = std::min(bytes.size(), tail_size_ - tail_.size());
    tail_.append(bytes.substr(0, grow));
    tail_used_ += grow;
    bytes.remove_prefix(grow);
  }
  while (!bytes.empty()) {
    const std::size_t size = std::min(bytes.size(), tail_size_ - tail_at_);
    tail_.replace(tail_at_, size, bytes.substr(0, size));
    tail_at_ = (tail_at_ + size) % tail_size_;
    bytes.remove_prefix(size);
  }
}

void OutputLog::open_spill() {
  struct statvfs space{};
  const std::string directory = options_.path.substr(0, options_.path.rfind('/'));
  if (::statvfs(directory.c_str(), &space) == 0) {
    const std::uint64_t free = static_cast<std::uint64_t>(space.f_bavail) * space.f_frsize;
    options_.quota = std::min(options_.quota, free / 4);
  }
  if (options_.quota == 0) {
    spill_closed_ = true;
    return;
  }
  auto file = open_file(options_.path, O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (!file) {
    spill_closed_ = true;
    spill_error_ = file.error().message();
    return;
  }
  file_ = std::move(*file);
  spill_path_ = options_.path;
  std::string kept = head_;
  copy_tail(tail_begin(), tail_used_, kept);
  spill(kept);
}

void OutputLog::spill(std::string_view bytes) {
  if (!file_) open_spill();
  if (spill_closed_) return;
  const std::size_t size = std::min<std::uint64_t>(bytes.size(), options_.quota - spilled_);
  if (const auto written = write_all(file_.get(), bytes.substr(0, size)); !written) {
    spill_closed_ = true;  // a full disk costs the middle of this output, not the command
    spill_error_ = written.error().message();
    return;
  }
  spilled_ += size;
  if (spilled_ == options_.quota) spill_closed_ = true;
}

std::uint64_t OutputLog::room_before_losing(std::uint64_t cursor) const {
  const std::uint64_t in_file = spill_closed_ ? 0 : options_.quota - spilled_;
  const std::uint64_t kept = std::max({cursor, spilled_, std::uint64_t{head_.size()}});
  const std::uint64_t unread = total_ - std::min(kept, total_);
  return in_file + (tail_size_ - std::min<std::uint64_t>(unread, tail_size_));
}

void OutputLog::copy_tail(std::uint64_t from, std::size_t size, std::string& into) const {
  std::size_t at = (tail_at_ + static_cast<std::size_t>(from - tail_begin())) %
                   std::max<std::size_t>(tail_.size(), 1);
  while (size > 0) {
    const std::size_t piece = std::min(size, tail_.size() - at);
    into.append(tail_, at, piece);
    at = 0;
    size -= piece;
  }
}

OutputLog::Piece OutputLog::read(std::uint64_t cursor, std::size_t max) const {
  Piece piece{.from = cursor};
  if (cursor >= total_ || max == 0) return piece;
  if (cursor < head_.size()) {
    piece.bytes = head_.substr(static_cast<std::size_t>(cursor), max);
    return piece;
  }
  if (cursor < tail_begin() && cursor < spilled_) {
    piece.bytes.resize(std::min<std::uint64_t>({max, spilled_ - cursor, 256u << 10}));
    const ssize_t size =
        ::pread(file_.get(), piece.bytes.data(), piece.bytes.size(), static_cast<off_t>(cursor));
    piece.bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    if (!piece.bytes.empty()) return piece;
  }
  piece.from = std::max(cursor, tail_begin());
  const std::uint64_t size = std::min<std::uint64_t>(max, total_ - piece.from);
  copy_tail(piece.from, static_cast<std::size_t>(size), piece.bytes);
  return piece;
}

std::string OutputLog::head(std::uint64_t limit) const {
  std::string text;
  while (text.size() < std::min(limit, total_)) {
    const Piece piece = read(text.size(), static_cast<std::size_t>(limit) - text.size());
    if (piece.bytes.empty() || piece.from != text.size()) break;
    text += piece.bytes;
  }
  return text;
}

OutputLog::Piece OutputLog::tail(std::uint64_t limit, std::uint64_t not_before) const {
  const std::uint64_t begin = std::max(not_before, total_ - std::min(limit, total_));
  Piece all = read(begin, static_cast<std::size_t>(total_ - begin));
  if (all.from != begin) return all;  // the middle is lost: this is the last part
  while (begin + all.bytes.size() < total_) {
    const std::uint64_t at = begin + all.bytes.size();
    Piece more = read(at, static_cast<std::size_t>(total_ - at));
    if (more.from != at) return more;
    all.bytes += more.bytes;
  }
  return all;
}

void OutputLog::settle() {
  head_.shrink_to_fit();
  if (tail_.size() < tail_size_) tail_.shrink_to_fit();
}

}  // namespace talaria
