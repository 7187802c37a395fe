#include "runner/output_log.h"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>

#include "os/file.h"
#include "runner/limits.h"

namespace talaria::runner {

OutputLog::OutputLog(std::size_t head_size, std::size_t tail_size, SpillOptions spill)
    : head_size_(head_size), tail_size_(tail_size), options_(std::move(spill)) {}

OutputLog::~OutputLog() {
  if (!spill_path_.empty() && !file_stays_) ::unlink(spill_path_.c_str());
}

std::unique_ptr<OutputLog> OutputLog::reopen(const std::string& path) {
  auto log = std::make_unique<OutputLog>(0, 0, SpillOptions{});
  log->spill_closed_ = true;
  auto file = os::open_regular_file(path);
  if (!file) return log;
  log->spill_path_ = path;
  const off_t end = ::lseek(file->get(), 0, SEEK_END);
  const off_t begin = ::lseek(file->get(), 0, SEEK_DATA);  // behind what was given up
  log->total_ = log->spilled_ = static_cast<std::uint64_t>(std::max<off_t>(end, 0));
  log->spill_from_ = begin < 0 ? 0 : static_cast<std::uint64_t>(begin);
  log->file_ = std::move(*file);
  return log;
}

void OutputLog::hide(const Secret& secret) {
  for (auto& mask : masks_) mask = std::make_unique<SecretMask>(secret);
}

void OutputLog::append(std::string_view bytes, bool errors) {
  const auto& mask = masks_[errors ? 1 : 0];
  mask ? add(mask->feed(bytes), errors) : add(bytes, errors);
}

void OutputLog::show_all() {
  for (const bool errors : {false, true}) {
    if (const auto& mask = masks_[errors ? 1 : 0]) add(mask->rest(), errors);
  }
}

void OutputLog::add(std::string_view bytes, bool errors) {
  if (bytes.empty()) return;
  if (const bool last_is_errors = first_is_errors_ != (switches_.size() % 2 == 1);
      last_is_errors != errors) {
    if (switches_.size() >= kMostSwitches) {
      switches_.pop_front();
      first_is_errors_ = !first_is_errors_;
    }
    switches_.push_back(total_);
  }
  // Opened while memory still holds everything before: the tail has not dropped a byte yet.
  const std::uint64_t after =
      options_.rolls ? 0 : std::min<std::uint64_t>(options_.after, head_size_ + tail_size_);
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
  auto file = os::open_file(options_.path, O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (!file) {
    spill_closed_ = true;
    spill_error_ = file.error().message();
    return;
  }
  file_ = std::move(*file);
  spill_path_ = options_.path;
  spill_memory();
}

// From memory, as far back as it goes without a gap.
void OutputLog::spill_memory() {
  std::string bytes = tail_begin() == head_.size() ? head_ : std::string();
  spill_from_ = spilled_ = tail_begin() - bytes.size();
  copy_tail(tail_begin(), tail_used_, bytes);
  ::lseek(file_.get(), static_cast<off_t>(spill_from_), SEEK_SET);
  spill(bytes);
}

// A spill file with a gap after it would be useless.
void OutputLog::keep_newest() {
  options_.rolls = true;
  const bool whole = file_ ? spilled_ == total_ : total_ <= head_.size() + tail_used_;
  if (!spill_error_.empty() || options_.quota == 0) return;
  spill_closed_ = false;
  if (!file_) {
    open_spill();
  } else if (!whole) {
    (void)::ftruncate(file_.get(), 0);
    spill_memory();
  }
}

void OutputLog::spill(std::string_view bytes) {
  if (!file_) open_spill();
  if (spill_closed_) return;
  if (options_.rolls) {
    if (write_spill(bytes)) give_up_old();
    return;
  }
  if (!write_spill(bytes.substr(0, std::min(bytes.size(), options_.quota - spilled_)))) return;
  if (spilled_ == options_.quota) spill_closed_ = true;
}

bool OutputLog::write_spill(std::string_view bytes) {
  if (const auto written = os::write_all(file_.get(), bytes); !written) {
    spill_closed_ = true;  // a full disk costs the middle of this output, not the command
    spill_error_ = written.error().message();
    return false;
  }
  spilled_ += bytes.size();
  return true;
}

void OutputLog::give_up_old() {
  constexpr std::uint64_t kBlock = 4096;
  const std::uint64_t step = std::max(kBlock, std::min(kSpillStep, options_.quota / 8));
  if (spilled_ - spill_from_ < options_.quota + step) return;
  const std::uint64_t from = (spilled_ - options_.quota) / kBlock * kBlock;
  const std::uint64_t begin = spill_from_ / kBlock * kBlock;
  if (from <= begin) return;
  if (::fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                  static_cast<off_t>(begin), static_cast<off_t>(from - begin)) < 0) {
    spill_closed_ = true;
    spill_error_ = Error::from_errno("giving up old output in " + spill_path_).message();
    return;
  }
  spill_from_ = from;
}

void OutputLog::give_up_file() {
  if (spill_path_.empty()) return;
  ::unlink(spill_path_.c_str());
  file_.reset();
  spill_path_.clear();
  spill_closed_ = true;
  spill_from_ = spilled_ = 0;
}

std::uint64_t OutputLog::room_before_losing(std::uint64_t cursor) const {
  if (switches_.size() >= kMostSwitches && switches_.front() > cursor) return 0;
  if (options_.rolls && !spill_closed_) return options_.quota;
  const std::uint64_t in_file = spill_closed_ ? 0 : options_.quota - spilled_;
  const std::uint64_t safe = std::max({cursor, spilled_, std::uint64_t{head_.size()}});
  const std::uint64_t unread = total_ - std::min(safe, total_);
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
  Piece piece = read_any(cursor, max);
  keep_to_one_stream(piece);
  return piece;
}

void OutputLog::keep_to_one_stream(Piece& piece) const {
  const auto next = std::ranges::upper_bound(switches_, piece.from);
  piece.errors = first_is_errors_ != ((next - switches_.begin()) % 2 == 1);
  if (next == switches_.end() || *next - piece.from >= piece.bytes.size()) return;
  piece.bytes.resize(static_cast<std::size_t>(*next - piece.from));
}

OutputLog::Piece OutputLog::read_any(std::uint64_t cursor, std::size_t max) const {
  Piece piece{.from = cursor};
  if (cursor >= total_ || max == 0) return piece;
  if (cursor < head_.size()) {
    piece.bytes = head_.substr(static_cast<std::size_t>(cursor), max);
    return piece;
  }
  const std::uint64_t at = std::max(cursor, spill_from_);
  if (at < tail_begin() && at < spilled_) {
    piece.from = at;
    piece.bytes.resize(std::min<std::uint64_t>({max, spilled_ - at, 256u << 10}));
    const ssize_t size =
        ::pread(file_.get(), piece.bytes.data(), piece.bytes.size(), static_cast<off_t>(at));
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
  Piece all{.from = std::max(not_before, total_ - std::min(limit, total_))};
  for (;;) {
    const std::uint64_t at = all.from + all.bytes.size();
    if (at >= total_) return all;
    Piece more = read(at, static_cast<std::size_t>(total_ - at));
    if (more.bytes.empty()) return all;
    if (more.from != at) {
      all = std::move(more);  // something is lost: what is behind it is the last part
    } else {
      all.bytes += more.bytes;
    }
  }
}

void OutputLog::settle() {
  show_all();
  head_.shrink_to_fit();
  if (options_.rolls && file_ && spilled_ == total_) {  // the file has it all
    tail_ = {};
    tail_at_ = tail_used_ = 0;
  }
  if (tail_.size() < tail_size_) tail_.shrink_to_fit();
}

}  // namespace talaria::runner
