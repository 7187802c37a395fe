#include "base/secret_mask.h"

#include <gtest/gtest.h>

namespace talaria {
namespace {

TEST(SecretMaskTest, TakesTheSecretOutOfEveryCut) {
  const std::string text = "a hunhunter2 b hunter2hunter2\nhunter";
  for (std::size_t first = 0; first <= text.size(); ++first) {
    for (std::size_t second = first; second <= text.size(); ++second) {
      SecretMask mask(Secret("hunter2"));
      std::string shown = mask.feed(text.substr(0, first));
      shown += mask.feed(text.substr(first, second - first));
      shown += mask.feed(text.substr(second));
      shown += mask.rest();
      ASSERT_EQ(shown, "a hun*** b ******\nhunter") << first << " " << second;
    }
  }
}

TEST(SecretMaskTest, HoldsBackOnlyWhatMayBeItsBeginning) {
  SecretMask mask(Secret("hunter2"));
  EXPECT_EQ(mask.feed("prompt> "), "prompt> ");
  EXPECT_EQ(mask.feed("the h"), "the ");
  EXPECT_EQ(mask.feed("ouse"), "house");
}

TEST(SecretMaskTest, LeavesAloneWhatIsTooShortToHide) {
  EXPECT_EQ(without_secret(Secret(""), "abc"), "abc");
  EXPECT_EQ(without_secret(Secret("abc"), "abcabc"), "abcabc");
  EXPECT_EQ(without_secret(Secret("abcd"), "abcd"), "***");
}

TEST(SecretTest, OverwritesWhatItHeld) {
  Secret short_one("open");
  Secret long_one(std::string(300, 'x'));
  const char* const short_bytes = short_one.view().data();
  const char* const long_bytes = long_one.view().data();
  short_one.clear();
  long_one.clear();
  EXPECT_EQ(std::string_view(short_bytes, 4), std::string_view("\0\0\0\0", 4));
  EXPECT_EQ(std::string_view(long_bytes, 300), std::string(300, '\0'));
}

TEST(SecretTest, LeavesNothingBehindWhenItMoves) {
  Secret from("open");
  const char* const bytes = from.view().data();
  const Secret to = std::move(from);
  EXPECT_EQ(to.view(), "open");
  EXPECT_EQ(std::string_view(bytes, 4), std::string_view("\0\0\0\0", 4));
}

}  // namespace
}  // namespace talaria
