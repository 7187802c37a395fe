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

// RFC 4231, test cases 1, 2 and 6 (a key that is longer than a block).
TEST(Hmac, IsTheOneOfTheStandard) {
  EXPECT_EQ(hmac_sha256_hex(std::string(20, '\x0b'), "Hi There"),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(hmac_sha256_hex("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(hmac_sha256_hex(std::string(131, '\xaa'),
                            "Test Using Larger Than Block-Size Key - Hash Key First"),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(Hmac, TextsAreEqualOnlyIfAllOfThemIs) {
  EXPECT_TRUE(equal_in_constant_time("abc", "abc"));
  EXPECT_FALSE(equal_in_constant_time("abc", "abd"));
  EXPECT_FALSE(equal_in_constant_time("abc", "abcd"));
  EXPECT_FALSE(equal_in_constant_time("", "a"));
}

}  // namespace
}  // namespace talaria
