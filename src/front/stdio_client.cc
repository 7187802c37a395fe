#include "front/stdio_client.h"

#include <utility>
#include <vector>

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>

namespace talaria::front {

StdioClient::StdioClient(const asio::any_io_executor& executor, Stdio stdio, Owner owner)
    : executor_(executor),
      owner_(std::move(owner)),
      input_(executor, stdio.in),
      output_(executor, stdio.out),
      tasks_(executor),
      last_write_(executor) {}

Task<void> StdioClient::read() {
  signals_.emplace(executor_, [this](int signal) { stop(128 + signal); });
  tasks_.start(write());
  tasks_.start(watch_reader());
  std::vector<char> chunk(64 * 1024);
  while (!stopping_) {
    const auto [error, size] = co_await input_->async_read_some(asio::buffer(chunk), as_values);
    if (error) co_return;
    owner_.take({chunk.data(), size});
    // If the client is too fast, or does not read, we stop reading, and its pipe fills up.
    while (!stopping_ && (owner_.waiting_bytes() >= kMaxWaitingBytes || is_unread())) {
      co_await tasks_.change();
    }
  }
}

Task<int> StdioClient::finish(bool limited) {
  finished_ = true;
  more_.notify_all();
  if (limited || stopping_) tasks_.start(limit_last_write());
  while (unsent_.size() + sending_ > 0) co_await tasks_.change();
  last_write_.cancel();
  output_->cancel();
  co_await tasks_.ended();
  co_return exit_code_;
}

void StdioClient::send(std::string_view lines) {
  if (!broken_) unsent_ += lines;
  more_.notify_all();
  tasks_.notify();
}

Task<void> StdioClient::write() {
  for (;;) {
    while (unsent_.empty() && !finished_ && !broken_) co_await more_.wait();
    if (unsent_.empty()) co_return;
    const std::string lines = std::exchange(unsent_, {});
    sending_ = lines.size();
    const auto [error, size] = co_await asio::async_write(*output_, asio::buffer(lines), as_values);
    sending_ = 0;
    if (error) break_off();
    owner_.written();
    tasks_.notify();
    if (error) co_return;
  }
}

Task<void> StdioClient::watch_reader() {
  const auto [error] = co_await output_->async_wait(SharedStream::Stream::wait_error, as_values);
  if (!error) break_off();
}

Task<void> StdioClient::limit_last_write() {
  if (unsent_.size() + sending_ == 0) co_return;
  last_write_.expires_after(kLastWriteWait);
  const auto [error] = co_await last_write_.async_wait(as_values);
  if (!error) output_->cancel();
}

void StdioClient::stop(int exit_code) {
  if (!std::exchange(stopping_, true)) exit_code_ = exit_code;
  input_->cancel();
  owner_.stop();
  tasks_.notify();
}

void StdioClient::break_off() {
  unsent_.clear();
  more_.notify_all();
  if (!std::exchange(broken_, true)) stop(1);
}

}  // namespace talaria::front
