#include "link/frame.h"

#include <utility>

namespace talaria::link {
namespace {

constexpr std::size_t kLengthBytes = 4;
constexpr std::size_t kRestOfHeader = kFrameHeaderBytes - kLengthBytes;

template <class Integer>
void append_integer(std::string& out, Integer value) {
  for (std::size_t i = 0; i < sizeof(Integer); ++i) {
    out.push_back(static_cast<char>((value >> (8 * i)) & 0xff));
  }
}

template <class Integer>
Integer read_integer(const char* at) {
  Integer value = 0;
  for (std::size_t i = 0; i < sizeof(Integer); ++i) {
    value |= static_cast<Integer>(static_cast<unsigned char>(at[i])) << (8 * i);
  }
  return value;
}

void append_header(std::string& out, FrameType type, std::uint8_t flags, ExchangeId exchange,
                   std::size_t payload) {
  append_integer(out, static_cast<std::uint32_t>(kRestOfHeader + payload));
  out.push_back(static_cast<char>(std::to_underlying(type)));
  out.push_back(static_cast<char>(flags));
  append_integer(out, exchange);
}

}  // namespace

void append_frame(std::string& out, const Frame& frame) {
  append_header(out, frame.type, frame.flags, frame.exchange, frame.payload.size());
  out.append(frame.payload);
}

void append_data(std::string& out, ExchangeId exchange, std::uint64_t offset,
                 std::string_view bytes, bool errors) {
  append_header(out, FrameType::data, errors ? kFlagErrors : 0, exchange,
                sizeof(offset) + bytes.size());
  append_integer(out, offset);
  out.append(bytes);
}

void append_credit(std::string& out, ExchangeId exchange, std::uint64_t taken,
                   std::uint64_t limit) {
  append_header(out, FrameType::credit, 0, exchange, sizeof(taken) + sizeof(limit));
  append_integer(out, taken);
  append_integer(out, limit);
}

void append_number(std::string& out, FrameType type, ExchangeId exchange, std::uint64_t number) {
  append_header(out, type, 0, exchange, sizeof(number));
  append_integer(out, number);
}

std::optional<std::uint64_t> number_at(std::string_view payload, std::size_t at) {
  if (payload.size() < at + sizeof(std::uint64_t)) return std::nullopt;
  return read_integer<std::uint64_t>(payload.data() + at);
}

void FrameReader::feed(std::string_view bytes) {
  buffer_.erase(0, start_);
  start_ = 0;
  buffer_.append(bytes);
}

Result<std::optional<Frame>> FrameReader::next() {
  if (buffered() < kLengthBytes) return std::nullopt;
  const char* at = buffer_.data() + start_;
  const std::size_t length = read_integer<std::uint32_t>(at);
  if (length < kRestOfHeader || length > kRestOfHeader + kMaxFramePayload) {
    return fail(ErrorKind::bad_request,
                "a frame claims " + std::to_string(length) + " bytes: this is not a Talaria link");
  }
  if (buffered() < kLengthBytes + length) return std::nullopt;

  Frame frame;
  frame.type = static_cast<FrameType>(at[kLengthBytes]);
  frame.flags = static_cast<std::uint8_t>(at[kLengthBytes + 1]);
  frame.exchange = read_integer<std::uint32_t>(at + kLengthBytes + 2);
  frame.payload = std::string_view(at + kFrameHeaderBytes, length - kRestOfHeader);
  start_ += kLengthBytes + length;
  return frame;
}

}  // namespace talaria::link
