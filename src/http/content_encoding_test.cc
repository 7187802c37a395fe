#include "http/content_encoding.h"

#include <brotli/encode.h>
#include <zlib.h>

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria::http {
namespace {

using testing::HasSubstr;

constexpr int kGzip = 15 + 16;
constexpr int kZlib = 15;
constexpr int kRaw = -15;

std::string packed(std::string_view text, int window) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, window, 9, Z_DEFAULT_STRATEGY), Z_OK);
  std::string result(text.size() / 2 + 1000, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

std::string decoded(std::string_view encodings, const std::string& body,
                    std::size_t most = 1u << 20) {
  auto result = decode_content(encodings, body, most);
  return result ? *result : "error: " + result.error().message();
}

std::string brotli(std::string_view text) {
  std::string result(BrotliEncoderMaxCompressedSize(text.size()), '\0');
  std::size_t size = result.size();
  EXPECT_TRUE(BrotliEncoderCompress(9, 22, BROTLI_MODE_TEXT, text.size(),
                                    reinterpret_cast<const std::uint8_t*>(text.data()), &size,
                                    reinterpret_cast<std::uint8_t*>(result.data())));
  result.resize(size);
  return result;
}

TEST(ContentEncoding, IsUndone) {
  EXPECT_EQ(decoded("", "plain"), "plain");
  EXPECT_EQ(decoded("identity", "plain"), "plain");
  EXPECT_EQ(decoded(" GZIP ", packed("text", kGzip)), "text");
  EXPECT_EQ(decoded("x-gzip", packed("text", kGzip)), "text");
  EXPECT_EQ(decoded("deflate", packed("text", kZlib)), "text");
  EXPECT_EQ(decoded("deflate", packed("text", kRaw)), "text");
  EXPECT_EQ(decoded("deflate, gzip", packed(packed("text", kZlib), kGzip)), "text");
  EXPECT_EQ(decoded("br", brotli("text")), "text");
  EXPECT_EQ(decoded("gzip", ""), "");
}

TEST(ContentEncoding, ASmallBodyMayNotBecomeALargeOne) {
  const std::string bomb = packed(std::string(4u << 20, 'x'), kGzip);
  EXPECT_LT(bomb.size(), 10'000u);
  EXPECT_THAT(decoded("gzip", bomb), HasSubstr("longer than 1 MB"));
  EXPECT_THAT(decoded("gzip, gzip", packed(bomb, kGzip)), HasSubstr("longer than 1 MB"));
  EXPECT_THAT(decoded("br", brotli(std::string(4u << 20, 'x'))), HasSubstr("longer than 1 MB"));
  EXPECT_EQ(decoded("gzip", bomb, 4u << 20).size(), 4u << 20);
}

TEST(ContentEncoding, DamageAndTheUnknownAreErrors) {
  EXPECT_THAT(decoded("gzip", "no gzip"), HasSubstr("damaged"));
  EXPECT_THAT(decoded("gzip", packed("some text", kGzip).substr(0, 12)), HasSubstr("damaged"));
  EXPECT_THAT(decoded("br", "\xff\xff\xff"), HasSubstr("damaged"));
  EXPECT_THAT(decoded("br", brotli(std::string(5000, 'x')).substr(0, 5)), HasSubstr("damaged"));
  EXPECT_THAT(decoded("zstd", "x"), HasSubstr("'zstd'"));
  EXPECT_THAT(decoded("gzip,gzip,gzip,gzip", "x"), HasSubstr("too often"));
}

}  // namespace
}  // namespace talaria::http
