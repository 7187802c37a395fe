#include "http/content_encoding.h"

#include <brotli/decode.h>
#include <zlib.h>

#include <array>
#include <memory>
#include <vector>

#include "base/text.h"

namespace talaria::http {
namespace {

constexpr std::size_t kMaxEncodings = 3;

std::unexpected<Error> too_long(std::size_t most) {
  return fail(ErrorKind::unavailable,
              "unpacked, the answer is longer than " + std::to_string(most >> 20) + " MB");
}

std::unexpected<Error> damaged(std::string_view encoding) {
  return fail(ErrorKind::unavailable, "the answer's " + std::string(encoding) + " is damaged");
}

// Window bits as zlib wants them.
constexpr int kGzipOrZlib = 15 + 32;
constexpr int kRawDeflate = -15;

Result<std::string> inflate_all(std::string_view body, int window, std::size_t most,
                                std::string_view encoding) {
  z_stream stream{};
  if (inflateInit2(&stream, window) != Z_OK) return damaged(encoding);
  const std::unique_ptr<z_stream, decltype(&inflateEnd)> owner(&stream, inflateEnd);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(body.data()));
  stream.avail_in = static_cast<uInt>(body.size());
  std::string result;
  std::array<char, 65536> chunk;
  for (int code = Z_OK; code != Z_STREAM_END;) {
    stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream.avail_out = chunk.size();
    code = inflate(&stream, Z_NO_FLUSH);
    if (code != Z_OK && code != Z_STREAM_END) return damaged(encoding);
    result.append(chunk.data(), chunk.size() - stream.avail_out);
    if (result.size() > most) return too_long(most);
  }
  return result;
}

// What is called deflate is zlib's format, or that without its frame.
Result<std::string> inflate_either(std::string_view body, std::size_t most) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(body[at]); };
  const bool framed =
      body.size() >= 2 && byte(0) % 16 == Z_DEFLATED && (byte(0) * 256 + byte(1)) % 31 == 0;
  return inflate_all(body, framed ? kGzipOrZlib : kRawDeflate, most, "deflate");
}

Result<std::string> unbrotli(std::string_view body, std::size_t most) {
  const std::unique_ptr<BrotliDecoderState, decltype(&BrotliDecoderDestroyInstance)> state(
      BrotliDecoderCreateInstance(nullptr, nullptr, nullptr), BrotliDecoderDestroyInstance);
  if (!state) return damaged("br");
  std::size_t left = body.size();
  const auto* in = reinterpret_cast<const std::uint8_t*>(body.data());
  std::string result;
  std::array<std::uint8_t, 65536> chunk;
  for (;;) {
    std::size_t room = chunk.size();
    std::uint8_t* out = chunk.data();
    const auto code = BrotliDecoderDecompressStream(state.get(), &left, &in, &room, &out, nullptr);
    result.append(reinterpret_cast<const char*>(chunk.data()), chunk.size() - room);
    if (result.size() > most) return too_long(most);
    if (code == BROTLI_DECODER_RESULT_SUCCESS) return result;
    if (code != BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT) return damaged("br");
  }
}

Result<std::string> decode_one(std::string_view encoding, std::string body, std::size_t most) {
  if (encoding.empty() || encoding == "identity") return body;
  if (body.empty()) return body;
  if (encoding == "gzip" || encoding == "x-gzip") {
    return inflate_all(body, kGzipOrZlib, most, encoding);
  }
  if (encoding == "deflate") return inflate_either(body, most);
  if (encoding == "br") return unbrotli(body, most);
  return fail(ErrorKind::unavailable,
              "the answer is encoded as '" + std::string(encoding) + "', which was not asked for");
}

}  // namespace

Result<std::string> decode_content(std::string_view encodings, std::string body, std::size_t most) {
  std::vector<std::string> steps;
  while (!encodings.empty()) steps.push_back(lower_case(trim(next_word(encodings, ','))));
  if (steps.size() > kMaxEncodings) {
    return fail(ErrorKind::unavailable, "the answer is encoded too often");
  }
  Result<std::string> result = std::move(body);
  for (auto step = steps.rbegin(); step != steps.rend() && result; ++step) {
    result = decode_one(*step, std::move(*result), most);
  }
  return result;
}

}  // namespace talaria::http
