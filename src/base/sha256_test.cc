#include "base/sha256.h"

#include <gtest/gtest.h>

namespace talaria {
namespace {

// The standard's own examples.
TEST(Sha256, KnownDigests) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_hex(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// Every length around a block's end, whole and in pieces of every size.
TEST(Sha256, PiecesMakeNoDifference) {
  std::string text;
  for (std::size_t size = 0; size < 200; ++size) {
    const std::string whole = sha256_hex(text);
    for (const std::size_t piece : {1u, 3u, 55u, 63u, 64u, 65u}) {
      Sha256 digest;
      for (std::size_t at = 0; at < size; at += piece) {
        digest.add(std::string_view(text).substr(at, piece));
      }
      EXPECT_EQ(digest.hex(), whole) << size << " bytes in pieces of " << piece;
    }
    text += static_cast<char>('a' + size % 26);
  }
}

}  // namespace
}  // namespace talaria
