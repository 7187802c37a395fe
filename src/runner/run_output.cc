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

RunOutput::Stream::Stream(const asio::any_io_executor& executor, os::UniqueFd stream,
                          bool is_errors)
    : fd(std::move(stream)), readable(executor), errors(is_errors), closed(!fd) {
  if (!fd) return;
  readable.assign(fd.get());
  readable.native_non_blocking(true);
}

RunOutput::RunOutput(const asio::any_io_executor& executor, Streams streams,
                     std::unique_ptr<OutputLog> log, Owner& owner)
    : output_(executor, std::move(streams.output), false),
      errors_(executor, std::move(streams.errors), true),
      room_(executor, std::chrono::steady_clock::time_point::max()),
      terminal_(streams.terminal),
      log_(std::move(log)),
      owner_(owner) {}

RunOutput::~RunOutput() {
  for (Stream* stream : {&output_, &errors_}) {
    if (stream->readable.is_open()) stream->readable.release();
  }
}

void RunOutput::start(const std::shared_ptr<void>& alive) {
  for (Stream* stream : {&output_, &errors_}) {
    if (!stream->closed) spawn(room_.get_executor(), drain(*stream, alive));
  }
}

Task<void> RunOutput::drain(Stream& stream, std::shared_ptr<void> /*alive*/) {
  while (!stream.closed) {
    if (room() == 0) {
      ++waiting_for_room_;
      co_await room_.async_wait(as_values);
      --waiting_for_room_;
      continue;
    }
    const auto [error] = co_await stream.readable.async_wait(stream.readable.wait_read, as_values);
    if (error) co_return;
    for (int i = 0; i < kReadsPerTurn && read_some(stream); ++i) {
    }
    owner_.output_was_read();
  }
  stream.readable.release();
  stream.fd.reset();
  if (closed()) log_->settle();
}

void RunOutput::reader_moved() {
  if (waiting_for_room_ > 0) room_.cancel();
}

void RunOutput::read_once() {
  for (Stream* stream : {&output_, &errors_}) {
    if (!stream->closed) read_some(*stream);
  }
}

void RunOutput::shell_exited() {
  for (Stream* stream : {&output_, &errors_}) {
    if (stream->closed) continue;
    // A terminal does not report how much there is; but a read that finds nothing is certain.
    stream->unread = terminal_ ? kTerminalBuffer : os::bytes_waiting(stream->fd.get());
    while (stream->unread > 0 && read_some(*stream)) {
    }
  }
}

// The streams stay open: the command must not fail because of its output before it is killed.
void RunOutput::abandon() {
  for (Stream* stream : {&output_, &errors_}) {
    if (stream->readable.is_open()) stream->readable.release();
    stream->closed = true;
  }
  room_.cancel();
}

bool RunOutput::complete() const {
  return (output_.unread == 0 || output_.closed) && (errors_.unread == 0 || errors_.closed);
}

bool RunOutput::closed() const { return output_.closed && errors_.closed; }

std::uint64_t RunOutput::room() const {
  const auto reader = owner_.slowest_reader();
  return reader ? std::min<std::uint64_t>(kReadChunk, log_->room_before_losing(*reader))
                : kReadChunk;
}

bool RunOutput::read_some(Stream& stream) {
  const std::uint64_t most = room();
  if (most == 0) return false;
  std::vector<char>& buffer = read_buffer();
  ssize_t size = ::read(stream.fd.get(), buffer.data(), std::min<std::size_t>(buffer.size(), most));
  // No process has the terminal open any more.
  if (size < 0 && errno == EIO && terminal_) size = 0;
  if (size < 0 && errno == EINTR) return true;
  if (size <= 0) stream.unread = 0;  // there is no more than this
  if (size < 0) return false;
  if (size == 0) {
    stream.closed = true;
    if (closed()) owner_.output_grew({});
    return false;
  }
  const std::string_view bytes(buffer.data(), static_cast<std::size_t>(size));
  last_read_ = std::chrono::steady_clock::now();
  stream.unread -= std::min<std::uint64_t>(stream.unread, bytes.size());
  log_->append(bytes, stream.errors);
  owner_.output_grew(bytes);
  return true;
}

}  // namespace talaria::runner
