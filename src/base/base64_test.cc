#include "base/base64.h"

#include <gtest/gtest.h>

namespace talaria {
namespace {

TEST(Base64, HasTheExamplesOfItsStandard) {
  const struct {
    std::string_view bytes;
    std::string_view text;
  } cases[] = {{"", ""},
               {"f", "Zg=="},
               {"fo", "Zm8="},
               {"foo", "Zm9v"},
               {"foob", "Zm9vYg=="},
               {"fooba", "Zm9vYmE="},
               {"foobar", "Zm9vYmFy"},
               {"\xff\xfe\xfd", "//79"},
               {std::string_view("\0\0", 2), "AAA="}};
  for (const auto& c : cases) {
    EXPECT_EQ(base64(c.bytes), c.text);
    EXPECT_EQ(base64_decode(c.text), c.bytes);
  }
}

TEST(Base64, WhatIsNoneIsSeen) {
  for (const char* text : {"Zg=", "Zg", "Z===", "Zm 9", "Zg==Zg==", "Zm9v\n"}) {
    EXPECT_FALSE(base64_decode(text)) << text;
  }
}

}  // namespace
}  // namespace talaria
