#include "front/lines/line_request.h"

#include <utility>

namespace talaria::front::lines {

void LineRequest::give_up() {
  cancel_.cancel();
  if (parts_ && complete_) parts_->drop();
  close_input();
}

PartStream& LineRequest::open_parts(PartEncoding encoding, std::uint64_t window) {
  parts_ = std::make_unique<PartStream>(client_, encoding, window);
  parts_->allow(std::exchange(allowed_, 0));
  return *parts_;
}

// Of a request that was given up, what has no room is dropped: its client may be gone.
Task<void> LineRequest::parts_sent() {
  if (!parts_) co_return;
  complete_ = true;
  parts_->end();
  if (cancel_.cancelled()) parts_->drop();
  co_await parts_->sent();
}

void LineRequest::allow(std::uint64_t bytes) {
  if (parts_) {
    parts_->allow(bytes);
  } else {
    allowed_ += bytes;
  }
}

void LineRequest::resume() {
  if (parts_) parts_->resume();
}

void LineRequest::end_of_client() {
  allow(std::uint64_t{1} << 53);
  if (input_) input_->end();
}

void LineRequest::close_input() {
  if (input_) input_->close();
}

}  // namespace talaria::front::lines
