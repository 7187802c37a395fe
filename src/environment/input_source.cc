#include "environment/input_source.h"

#include <utility>

#include "base/limits.h"

namespace talaria::environment {

Task<std::string> InputSource::next() {
  if (!ended_ && !stopped_ && reader_) reader_->read_next();
  if (!ended_ && !stopped_ && !reader_) {
    reader_ = std::make_unique<InputReader>(executor_, fd_, [this](std::string piece) {
      piece_ = std::move(piece);
      changed_.notify_all();
    });
  }
  while (!ended_ && !stopped_ && !piece_) co_await changed_.wait();
  std::string piece = std::exchange(piece_, std::nullopt).value_or("");
  ended_ = piece.empty();
  co_return piece;
}

void InputSource::stop() {
  stopped_ = true;
  reader_.reset();
  changed_.notify_all();
}

Task<Result<void>> read_whole_input(CommandSpec& spec, CancelToken cancel) {
  if (!spec.stdin_fd) co_return Result<void>();
  InputSource source(co_await asio::this_coro::executor, *std::exchange(spec.stdin_fd, {}));
  cancel.on_cancel([&source] { source.stop(); });
  std::string& all = spec.stdin_data ? *spec.stdin_data : spec.stdin_data.emplace();
  for (std::string piece; !(piece = co_await source.next()).empty();) {
    all += piece;
    if (all.size() > kMaxStdinBytes) break;
  }
  cancel.on_cancel(nullptr);
  source.stop();
  if (all.size() <= kMaxStdinBytes) co_return Result<void>();
  co_return fail(ErrorKind::limit,
                 "this target takes the input of a command only as a whole, and there is more than "
                 "the limit of " +
                     std::to_string(kMaxStdinBytes) +
                     " bytes; put it in a file and let the command read that");
}

}  // namespace talaria::environment
