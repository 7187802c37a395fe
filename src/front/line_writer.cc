#include "front/line_writer.h"

#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>

#include "base/limits.h"

namespace talaria::front {

LineWriter::LineWriter(const asio::any_io_executor& executor, int fd, std::function<void()> changed,
                       std::function<void()> gone)
    : output_(executor, fd),
      last_write_(executor),
      changed_(std::move(changed)),
      gone_(std::move(gone)) {}

void LineWriter::send(std::string_view lines) {
  if (!broken_) unsent_ += lines;
  more_.notify_all();
}

Task<void> LineWriter::write() {
  for (;;) {
    while (unsent_.empty() && !finished_ && !broken_) co_await more_.wait();
    if (unsent_.empty()) co_return;
    const std::string lines = std::exchange(unsent_, {});
    sending_ = lines.size();
    const auto [error, size] = co_await asio::async_write(*output_, asio::buffer(lines), as_values);
    sending_ = 0;
    if (error) break_off();
    changed_();
    if (error) co_return;
  }
}

Task<void> LineWriter::watch_reader() {
  const auto [error] = co_await output_->async_wait(SharedStream::Stream::wait_error, as_values);
  if (!error) break_off();
}

Task<void> LineWriter::limit() {
  if (stopped_) co_return;
  last_write_.expires_after(kLastWriteWait);
  const auto [error] = co_await last_write_.async_wait(as_values);
  if (!error) output_->cancel();
}

void LineWriter::finish() {
  finished_ = true;
  more_.notify_all();
}

void LineWriter::stop() {
  stopped_ = true;
  last_write_.cancel();
  output_->cancel();
}

void LineWriter::break_off() {
  unsent_.clear();
  more_.notify_all();
  if (!std::exchange(broken_, true)) gone_();
}

}  // namespace talaria::front
