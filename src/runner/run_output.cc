#include "runner/run_output.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "os/file.h"
#include "runner/limits.h"

namespace talaria::runner {
namespace {

// One buffer for all: reads happen one at a time, on one thread.
std::vector<char>& read_buffer() {
  static std::vector<char> buffer(kReadChunk);
  return buffer;
}

}  // namespace

RunOutput::RunOutput(const asio::any_io_executor& executor, os::UniqueFd stream, Source source,
                     std::unique_ptr<OutputLog> log, Owner& owner)
    : stream_(std::move(stream)),
      readable_(executor),
      room_(executor, std::chrono::steady_clock::time_point::max()),
      source_(source),
      log_(std::move(log)),
      owner_(owner),
      closed_(!stream_) {
  if (stream_) readable_.assign(stream_.get());
}

RunOutput::~RunOutput() {
  if (readable_.is_open()) readable_.release();
}

void RunOutput::start(std::shared_ptr<void> alive) {
  spawn(readable_.get_executor(), drain(std::move(alive)));
}

Task<void> RunOutput::drain(std::shared_ptr<void> /*alive*/) {
  while (!closed_) {
    if (room() == 0) {
      waiting_for_room_ = true;
      co_await room_.async_wait(as_values);
      waiting_for_room_ = false;
      continue;
    }
    const auto [error] = co_await readable_.async_wait(readable_.wait_read, as_values);
    if (error) co_return;
    for (int i = 0; i < kReadsPerTurn && read_some(); ++i) {
    }
    owner_.output_was_read();
  }
  readable_.release();
  stream_.reset();
  log_->settle();
}

void RunOutput::reader_moved() {
  if (waiting_for_room_) room_.cancel();
}

void RunOutput::read_once() {
  if (!closed_) read_some();
}

void RunOutput::shell_exited() {
  if (closed_) return;
  // A terminal does not report how much there is; but a read that finds nothing is certain.
  unread_ = source_ == Source::terminal ? kTerminalBuffer : os::bytes_waiting(stream_.get());
  while (unread_ > 0 && read_some()) {
  }
}

// The stream stays open: the command must not fail because of its output before it is killed.
void RunOutput::abandon() {
  if (readable_.is_open()) readable_.release();
  room_.cancel();
  closed_ = true;
}

std::uint64_t RunOutput::room() const {
  const auto reader = owner_.slowest_reader();
  return reader ? std::min<std::uint64_t>(kReadChunk, log_->room_before_losing(*reader))
                : kReadChunk;
}

bool RunOutput::read_some() {
  const std::uint64_t most = room();
  if (most == 0) return false;
  std::vector<char>& buffer = read_buffer();
  ssize_t size = ::read(stream_.get(), buffer.data(), std::min<std::size_t>(buffer.size(), most));
  // No process has the terminal open any more.
  if (size < 0 && errno == EIO && source_ == Source::terminal) size = 0;
  if (size < 0 && errno == EINTR) return true;
  if (size <= 0) unread_ = 0;  // there is no more than this
  if (size < 0) return false;
  if (size == 0) {
    closed_ = true;
    owner_.output_grew({});
    return false;
  }
  const std::string_view bytes(buffer.data(), static_cast<std::size_t>(size));
  last_read_ = std::chrono::steady_clock::now();
  unread_ -= std::min<std::uint64_t>(unread_, bytes.size());
  log_->append(bytes);
  owner_.output_grew(bytes);
  return true;
}

}  // namespace talaria::runner
