#include "front/lines/line_request.h"

#include <utility>

namespace talaria::front::lines {

void LineRequest::give_up() {
  cancel_.cancel();
  if (parts_) parts_->give_up();
  close_input();
}

PartStream& LineRequest::open_parts(PartEncoding encoding, std::uint64_t window) {
  parts_ = std::make_unique<PartStream>(client_, encoding, window);
  parts_->allow(std::exchange(allowed_, 0));
  if (cancel_.cancelled()) parts_->give_up();
  return *parts_;
}

Task<void> LineRequest::parts_sent() {
  if (!parts_) co_return;
  parts_->end();
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
