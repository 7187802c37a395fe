#include "runner/input_queue.h"

#include <unistd.h>

#include "os/file.h"
#include "runner/limits.h"

namespace talaria {

void InputQueue::open(UniqueFd writer, std::weak_ptr<void> owner, std::function<void()> moved) {
  if (!writer) return;
  set_nonblocking(writer.get());
  pipe_.assign(writer.release());
  owner_ = std::move(owner);
  moved_ = std::move(moved);
  open_ = true;
}

Result<void> InputQueue::take(std::uint64_t offset, std::string_view bytes) {
  if (offset > next_) {
    return fail(ErrorKind::bad_request, "input begins at " + std::to_string(offset) +
                                            " but the bytes from " + std::to_string(next_) +
                                            " on are missing");
  }
  const std::uint64_t known = std::min<std::uint64_t>(next_ - offset, bytes.size());
  bytes.remove_prefix(static_cast<std::size_t>(known));
  if (!open_ || ending_) {
    next_ += bytes.size();  // nobody reads it; that is no failure of the writer's
    return {};
  }
  if (next_ + bytes.size() > limit()) {
    return fail(ErrorKind::limit, "input is over its window of " + std::to_string(kInputWindow));
  }
  pending_ += bytes;
  next_ += bytes.size();
  write_on();
  return {};
}

void InputQueue::close_behind(std::uint64_t offset) {
  if (offset > next_ || !open_) return;
  ending_ = true;
  write_on();
}

std::uint64_t InputQueue::limit() const { return written_ + kInputWindow; }

void InputQueue::abandon() {
  if (open_) finish();
}

void InputQueue::finish() {
  open_ = false;
  written_ = next_;
  pending_.clear();
  boost::system::error_code ignored;
  pipe_.close(ignored);
}

void InputQueue::write_on() {
  if (waiting_ || !open_) return;
  while (!pending_.empty()) {
    const ssize_t size = ::write(pipe_.native_handle(), pending_.data(), pending_.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) break;
    if (size < 0) {  // the command does not read: what it left unread harms nobody
      finish();
      return;
    }
    pending_.erase(0, static_cast<std::size_t>(size));
    written_ += static_cast<std::uint64_t>(size);
  }
  if (pending_.empty()) {
    if (ending_) finish();
    return;
  }
  waiting_ = true;
  pipe_.async_wait(pipe_.wait_write, [this, owner = owner_](boost::system::error_code error) {
    const auto alive = owner.lock();
    if (!alive) return;
    waiting_ = false;
    if (error) return;
    write_on();
    if (moved_) moved_();
  });
}

}  // namespace talaria
