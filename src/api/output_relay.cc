#include "api/output_relay.h"

#include <utility>

#include <boost/asio/post.hpp>

#include "api/limits.h"

namespace talaria {

Error output_error(const std::exception_ptr& thrown) {
  return {ErrorKind::bad_request,
          "on_output threw: " + exception_text(thrown) + "; the command was cancelled"};
}

OutputRelay::OutputRelay(asio::any_io_executor loop, Sink sink, Post post)
    : loop_(std::move(loop)), sink_(std::move(sink)), post_(std::move(post)) {}

void OutputRelay::add(std::uint64_t tag, std::string_view bytes) {
  {
    const std::scoped_lock lock(mutex_);
    if (thrown_) return;
    pieces_.push_back({tag, std::string(bytes)});
    bytes_ += bytes.size();
    if (bytes_ > kMaxRelayedBytes) flow_->hold();
    if (std::exchange(busy_, true)) return;
  }
  post_([self = shared_from_this()] { self->pass_on(); });
}

Task<void> OutputRelay::drained() {
  const auto self = shared_from_this();
  const auto busy = [&] {
    const std::scoped_lock lock(mutex_);
    return busy_;
  };
  while (busy()) co_await drained_.wait();
}

std::optional<Error> OutputRelay::error() const {
  const std::scoped_lock lock(mutex_);
  if (!thrown_) return std::nullopt;
  return output_error(thrown_);
}

void OutputRelay::pass_on() {
  std::exception_ptr thrown;
  for (;;) {
    std::vector<Piece> pieces;
    {
      const std::scoped_lock lock(mutex_);
      if (thrown) thrown_ = thrown;
      if (thrown) pieces_.clear();
      bytes_ = 0;
      pieces = std::exchange(pieces_, {});
      if (pieces.empty()) busy_ = false;
    }
    if (pieces.empty()) break;
    try {
      for (const Piece& piece : pieces) sink_(piece.tag, piece.bytes);
    } catch (...) {
      thrown = std::current_exception();
      cancel_.cancel();
    }
  }
  asio::post(loop_, [self = shared_from_this()] { self->was_passed_on(); });
}

void OutputRelay::was_passed_on() {
  flow_->release();
  drained_.notify_all();
}

}  // namespace talaria
