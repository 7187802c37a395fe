#include "link/outbox.h"

#include <algorithm>
#include <cassert>

namespace talaria::link {
namespace {

bool is_message(FrameType type) {
  return type == FrameType::request || type == FrameType::note || type == FrameType::response;
}

}  // namespace

void Outbox::control(const Frame& frame) { append_frame(control_, frame); }

void Outbox::credit(ExchangeId exchange, std::uint64_t taken, std::uint64_t limit) {
  Lane& lane = lanes_[exchange];
  if (!lane.credit) credits_.push_back(exchange);
  lane.credit = Credit{taken, limit};
}

void Outbox::message(ExchangeId exchange, FrameType type, std::string bytes) {
  Lane& lane = lane_in_turn(exchange);
  message_bytes_ += bytes.size();
  if (type == FrameType::request) ++lane.requests;
  lane.items.push_back(Item{.type = type, .bytes = std::move(bytes)});
}

void Outbox::data(ExchangeId exchange, std::uint64_t offset, std::string_view bytes, bool errors) {
  if (bytes.empty()) return;
  Lane& lane = lane_in_turn(exchange);
  lane.data_bytes += bytes.size();
  data_bytes_ += bytes.size();
  while (!bytes.empty()) {
    // Small pieces that wait together travel together.
    Item* last = lane.items.empty() ? nullptr : &lane.items.back();
    const bool joins = last != nullptr && last->type == FrameType::data && last->errors == errors &&
                       last->offset + last->bytes.size() == offset &&
                       last->bytes.size() < kMaxFrameData;
    if (!joins) {
      last = &lane.items.emplace_back(
          Item{.type = FrameType::data, .offset = offset, .errors = errors});
    }
    const std::size_t size = std::min(bytes.size(), kMaxFrameData - last->bytes.size());
    last->bytes.append(bytes.substr(0, size));
    bytes.remove_prefix(size);
    offset += size;
  }
}

void Outbox::end(ExchangeId exchange, std::uint64_t offset) {
  lane_in_turn(exchange).items.push_back(Item{.type = FrameType::end, .offset = offset});
}

bool Outbox::drop(ExchangeId exchange) {
  const auto it = lanes_.find(exchange);
  if (it == lanes_.end()) return false;
  Lane& lane = it->second;
  const bool begun = !lane.items.empty() && lane.items.front().done > 0;
  for (const Item& item : lane.items) forget_item(lane, item);
  lane.items.clear();
  lane.credit.reset();
  if (!lane.in_turn) lanes_.erase(it);  // else its turn erases it
  return begun;
}

void Outbox::drop_exchanges() {
  lanes_.clear();
  turns_.clear();
  credits_.clear();
  begun_bytes_ = 0;
  data_bytes_ = 0;
  message_bytes_ = 0;
}

std::size_t Outbox::room(ExchangeId exchange) const {
  const auto it = lanes_.find(exchange);
  const std::size_t own = it == lanes_.end() ? 0 : it->second.data_bytes;
  if (own >= kMaxQueuedDataPerExchange || data_bytes_ >= kMaxQueuedData) return 0;
  return std::min(kMaxQueuedDataPerExchange - own, kMaxQueuedData - data_bytes_);
}

std::string_view Outbox::output() {
  if (chunk_.empty()) collect();
  return std::string_view(chunk_).substr(chunk_done_);
}

void Outbox::wrote(std::size_t size) {
  assert(chunk_done_ + size <= chunk_.size());
  chunk_done_ += size;
  if (chunk_done_ < chunk_.size()) return;
  chunk_.clear();
  chunk_done_ = 0;
  if (lanes_.empty()) chunk_.shrink_to_fit();  // an idle connection holds no buffer
}

bool Outbox::empty() const {
  return chunk_.empty() && control_.empty() && !ping_ && !pong_ && lanes_.empty();
}

Outbox::Lane& Outbox::lane_in_turn(ExchangeId exchange) {
  Lane& lane = lanes_[exchange];
  if (!lane.in_turn) turns_.push_back(exchange);
  lane.in_turn = true;
  return lane;
}

void Outbox::collect() {
  collect_control();
  std::size_t stalled = 0;  // lanes in a row that had to wait
  while (chunk_.size() < kOutputChunk && stalled < turns_.size()) {
    const ExchangeId exchange = turns_.front();
    turns_.pop_front();
    const auto it = lanes_.find(exchange);
    assert(it != lanes_.end());
    Lane& lane = it->second;
    stalled = collect_one(exchange, lane) ? 0 : stalled + 1;
    if (!lane.items.empty()) {
      turns_.push_back(exchange);
    } else if (lane.credit) {
      lane.in_turn = false;
    } else {
      lanes_.erase(it);
    }
  }
}

void Outbox::collect_control() {
  chunk_.append(std::exchange(control_, {}));
  if (ping_) append_number(chunk_, FrameType::ping, 0, *ping_);
  if (pong_) append_number(chunk_, FrameType::pong, 0, *pong_);
  ping_.reset();
  pong_.reset();

  for (std::size_t left = credits_.size(); left > 0; --left) {
    const ExchangeId exchange = credits_.front();
    credits_.pop_front();
    const auto it = lanes_.find(exchange);
    if (it == lanes_.end() || !it->second.credit) continue;  // dropped meanwhile
    Lane& lane = it->second;
    if (lane.requests > 0) {
      credits_.push_back(exchange);  // the peer does not know the exchange yet
      continue;
    }
    append_credit(chunk_, exchange, lane.credit->taken, lane.credit->limit);
    lane.credit.reset();
    if (!lane.in_turn) lanes_.erase(it);
  }
}

// Hands out one frame of the lane. False if its message has to wait for room at the peer.
bool Outbox::collect_one(ExchangeId exchange, Lane& lane) {
  if (lane.items.empty()) return true;  // dropped meanwhile
  Item& item = lane.items.front();

  if (item.type == FrameType::data) {
    append_data(chunk_, exchange, item.offset, item.bytes, item.errors);
  } else if (item.type == FrameType::end) {
    append_number(chunk_, FrameType::end, exchange, item.offset);
  } else {
    if (!may_begin(item)) return false;
    const bool several = item.bytes.size() > kMaxFrameData;
    if (several && item.done == 0) begun_bytes_ += item.bytes.size();
    const std::string_view rest = std::string_view(item.bytes).substr(item.done);
    const std::string_view fragment = rest.substr(0, kMaxFrameData);
    const bool last = fragment.size() == rest.size();
    append_frame(chunk_, {item.type, last ? kFlagLast : std::uint8_t{0}, exchange, fragment});
    item.done += fragment.size();
    if (!last) return true;
    sent_.push_back({exchange, item.type});
  }
  forget_item(lane, item);
  lane.items.pop_front();
  return true;
}

bool Outbox::may_begin(const Item& item) const {
  if (item.done > 0 || item.bytes.size() <= kMaxFrameData) return true;
  return begun_bytes_ + item.bytes.size() <= peer_reassembly_;
}

void Outbox::forget_item(Lane& lane, const Item& item) {
  if (is_message(item.type)) {
    message_bytes_ -= item.bytes.size();
    if (item.done > 0 && item.bytes.size() > kMaxFrameData) begun_bytes_ -= item.bytes.size();
    if (item.type == FrameType::request) --lane.requests;
  } else {
    lane.data_bytes -= item.bytes.size();
    data_bytes_ -= item.bytes.size();
  }
}

}  // namespace talaria::link
