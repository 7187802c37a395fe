#include "front/lines/part_stream.h"

#include <algorithm>
#include <utility>

#include "base/base64.h"
#include "base/text.h"

namespace talaria::front::lines {
namespace {

// What one part has at most.
constexpr std::size_t kPartBytes = 64u << 10;

}  // namespace

void add_bytes(json::object& object, std::string_view name, std::string_view bytes,
               PartEncoding encoding) {
  const bool as_text = encoding == PartEncoding::text ||
                       (encoding == PartEncoding::automatic && is_valid_utf8(bytes));
  if (as_text) {
    object[name] = sanitize_utf8(bytes);
  } else {
    object[std::string(name) + "64"] = base64(bytes);
  }
}

void PartStream::add(std::string_view stream, std::string_view bytes,
                     std::optional<std::uint64_t> from) {
  if (bytes.empty()) return;
  Piece piece{.stream = std::string(stream), .bytes = {}, .from = from};
  if (encoding_ == PartEncoding::base64) {
    piece.bytes = bytes;
  } else {
    Piece& cut = cut_[piece.stream];
    const bool follows = !from || !cut.from || *cut.from + cut.bytes.size() == *from;
    if (!cut.bytes.empty() && !follows) waiting_.push_back(std::exchange(cut, {}));
    if (!cut.bytes.empty()) piece = std::exchange(cut, {});
    piece.bytes += bytes;
    const std::size_t whole = without_cut_end(piece.bytes).size();
    if (whole < piece.bytes.size()) {
      cut = {.stream = piece.stream, .bytes = piece.bytes.substr(whole), .from = piece.from};
      if (cut.from) *cut.from += whole;
      piece.bytes.resize(whole);
    }
  }
  if (!piece.bytes.empty()) waiting_.push_back(std::move(piece));
  send_waiting();
}

void PartStream::end() {
  for (auto& [name, cut] : std::exchange(cut_, {})) {
    if (!cut.bytes.empty()) waiting_.push_back(std::move(cut));
  }
  send_waiting();
}

void PartStream::allow(std::uint64_t bytes) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 53;
  room_ = std::min(kMost, room_ + std::min(kMost, bytes));
  send_waiting();
}

void PartStream::give_up() {
  given_up_ = true;
  send_waiting();
}

Task<void> PartStream::sent() {
  while (!waiting_.empty()) co_await changed_.wait();
}

std::size_t PartStream::next_size(const Piece& piece) const {
  const std::size_t most = std::min<std::uint64_t>({piece.bytes.size(), room_, kPartBytes});
  if (most == piece.bytes.size() || encoding_ == PartEncoding::base64) return most;
  return without_cut_end(std::string_view(piece.bytes).substr(0, most)).size();
}

void PartStream::send_waiting() {
  while (!waiting_.empty() && client_.reads()) {
    Piece& piece = waiting_.front();
    const std::size_t size = next_size(piece);
    if (size == 0) break;
    json::object part{{"stream", piece.stream}};
    add_bytes(part, "data", std::string_view(piece.bytes).substr(0, size), encoding_);
    if (piece.from) {
      part["from"] = *piece.from;
      *piece.from += size;
      part["next"] = *piece.from;
    }
    room_ -= size;
    piece.bytes.erase(0, size);
    if (piece.bytes.empty()) waiting_.pop_front();
    client_.send(part);
  }
  if (given_up_) waiting_.clear();
  if (!waiting_.empty()) return flow_->hold();
  changed_.notify_all();
  if (flow_->held()) flow_->release();
}

}  // namespace talaria::front::lines
