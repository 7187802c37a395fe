#include "runner/input_queue.h"

#include <unistd.h>

#include <algorithm>

#include "os/file.h"
#include "os/pty.h"
#include "runner/limits.h"

namespace talaria::runner {

void InputQueue::open(os::UniqueFd stream, Kind kind, std::weak_ptr<void> owner,
                      std::function<void()> moved) {
  if (!stream) return;
  os::set_nonblocking(stream.get());
  stream_.assign(stream.release());
  kind_ = kind;
  owner_ = std::move(owner);
  moved_ = std::move(moved);
  open_ = true;
}

Result<void> InputQueue::take(const std::string& name, std::uint64_t offset,
                              std::string_view bytes) {
  if (const std::uint64_t next = this->next(name); offset > next) {
    return fail(ErrorKind::bad_request, "input begins at " + std::to_string(offset) +
                                            " but the bytes from " + std::to_string(next) +
                                            " on are missing");
  }
  Writer* const found = writer(name);
  if (found == nullptr) {
    return fail(ErrorKind::limit, std::to_string(kMaxInputWriters) +
                                      " others wait for this process to read what they wrote");
  }
  Writer& from = *found;
  const std::uint64_t known = std::min<std::uint64_t>(from.next - offset, bytes.size());
  bytes.remove_prefix(static_cast<std::size_t>(known));
  if (bytes.empty()) return {};
  if (!takes_input()) {
    from.next += bytes.size();  // it is not read any more; that is not an error of the writer
    return {};
  }
  if (from.next + bytes.size() > limit(name)) {
    return fail(ErrorKind::limit, "input is over its window of " + std::to_string(kInputWindow));
  }
  from.next += bytes.size();
  append(from, std::string(bytes), false);
  return {};
}

void InputQueue::end_behind(const std::string& name, std::uint64_t offset) {
  if (offset > next(name) || !takes_input()) return;
  Writer* const from = writer(name);  // it has been here: take() comes first
  if (from == nullptr || from->end == offset) return;
  from->end = offset;
  from->end_waits = true;
  ending_ = kind_ == Kind::pipe;
  append(*from, {}, true);
}

bool InputQueue::applied(const std::string& name, std::uint64_t offset) const {
  const auto found = writers_.find(name);
  if (found == writers_.end()) return offset == 0;
  const Writer& from = found->second;
  return from.written >= offset && (from.end != offset || !from.end_waits);
}

std::uint64_t InputQueue::next(const std::string& name) const {
  const auto found = writers_.find(name);
  return found == writers_.end() ? 0 : found->second.next;
}

std::uint64_t InputQueue::limit(const std::string& name) const {
  const auto found = writers_.find(name);
  return (found == writers_.end() ? 0 : found->second.written) + kInputWindow;
}

InputQueue::Writer* InputQueue::writer(const std::string& name) {
  const bool full = !writers_.contains(name) && writers_.size() >= kMaxInputWriters;
  if (full && !name.empty() && !forget_oldest_writer()) return nullptr;
  Writer& found = writers_[name];
  found.last_use = ++uses_;
  return &found;
}

// Not the one that started the process (""), nor one whose bytes are on their way.
bool InputQueue::forget_oldest_writer() {
  auto oldest = writers_.end();
  for (auto entry = writers_.begin(); entry != writers_.end(); ++entry) {
    if (entry->first.empty() || entry->second.waiting > 0) continue;
    if (oldest == writers_.end() || entry->second.last_use < oldest->second.last_use) {
      oldest = entry;
    }
  }
  if (oldest == writers_.end()) return false;
  writers_.erase(oldest);
  return true;
}

// A line that ends in a backslash continues.
void InputQueue::note_line(std::string_view bytes) {
  constexpr std::size_t kMost = 16u << 10;
  for (const char c : bytes) {
    const bool ends = (c == '\n' || c == '\r') && !unfinished_.ends_with('\\');
    if (ends) {
      unfinished_.clear();
    } else {
      unfinished_ += c;
    }
  }
  if (unfinished_.size() > kMost) unfinished_.erase(0, unfinished_.size() - kMost);
}

void InputQueue::append(Writer& writer, std::string bytes, bool is_end) {
  if (!is_end) note_line(bytes);
  pieces_.push_back({&writer, std::move(bytes), is_end});
  ++writer.waiting;
  write_on();
}

void InputQueue::abandon() {
  if (open_) finish();
}

void InputQueue::finish() {
  open_ = false;
  pieces_.clear();
  for (auto& [name, writer] : writers_) {
    writer.written = writer.next;
    writer.waiting = 0;
    writer.end_waits = false;
  }
  boost::system::error_code ignored;
  stream_.close(ignored);
}

bool InputQueue::write_piece() {
  Piece& piece = pieces_.front();
  if (piece.is_end && kind_ == Kind::pipe) {
    finish();
    return false;
  }
  // Only now, when all before it was typed, is it known what ends the input of this terminal.
  if (piece.is_end && piece.bytes.empty()) {
    piece.bytes = os::end_of_input(stream_.native_handle(), last_byte_);
  }
  const std::string_view rest = std::string_view(piece.bytes).substr(front_done_);
  const ssize_t size = ::write(stream_.native_handle(), rest.data(), rest.size());
  if (size < 0 && errno == EINTR) return true;
  if (size < 0 && errno == EAGAIN) return false;
  if (size < 0) {  // the command does not read any more
    finish();
    return false;
  }
  const auto written = static_cast<std::size_t>(size);
  last_written_ = std::chrono::steady_clock::now();
  if (written > 0) last_byte_ = rest[written - 1];
  front_done_ += written;
  if (!piece.is_end) piece.writer->written += written;
  if (front_done_ == piece.bytes.size()) {
    --piece.writer->waiting;
    if (piece.is_end) piece.writer->end_waits = false;
    pieces_.pop_front();
    front_done_ = 0;
  }
  return written > 0;
}

void InputQueue::write_on() {
  if (waiting_ || !open_) return;
  while (!pieces_.empty() && write_piece()) {
  }
  if (pieces_.empty() || !open_) return;
  waiting_ = true;
  stream_.async_wait(stream_.wait_write, [this, owner = owner_](boost::system::error_code error) {
    const auto alive = owner.lock();
    if (!alive) return;
    waiting_ = false;
    if (error) return;
    write_on();
    if (moved_) moved_();
  });
}

}  // namespace talaria::runner
