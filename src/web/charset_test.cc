#include "web/charset.h"

#include <string>

#include <gtest/gtest.h>

namespace talaria::web {
namespace {

using namespace std::string_literals;

TEST(Charset, TheFirstThatSaysSoCounts) {
  EXPECT_EQ(to_utf8("gr\xfc\xdf", "ISO-8859-1", false), "grüß");
  EXPECT_EQ(to_utf8("grüß", "utf-8", false), "grüß");
  EXPECT_EQ(to_utf8("\xef\xbb\xbfgrüß", "iso-8859-1", false), "grüß");
  EXPECT_EQ(to_utf8("\xff\xfe"
                    "a\0"s,
                    "utf-8", false),
            "a");
  EXPECT_EQ(to_utf8("\xfe\xff\0a"s, "", false), "a");
  EXPECT_EQ(to_utf8("<meta charset='windows-1251'>\xcf\xf0", "", true),
            "<meta charset='windows-1251'>Пр");
  EXPECT_TRUE(
      to_utf8("<META content=\"text/html; charset=koi8-r\">\xf0", "", true).ends_with(">П"));
  EXPECT_EQ(to_utf8("<meta charset=koi8-r>\xf0", "", false).substr(21), "ð") << "no HTML";
  EXPECT_EQ(to_utf8("<meta charset=utf-16>ü", "", true), "<meta charset=utf-16>ü");
  EXPECT_EQ(to_utf8("\x82\xa0", "Shift_JIS", false), "あ");
}

TEST(Charset, NobodySays) {
  EXPECT_EQ(to_utf8("grüß", "", false), "grüß");
  EXPECT_EQ(to_utf8("gr\xfc\xdf \x80", "", false), "grüß €");
  EXPECT_EQ(to_utf8("grüß", "no-such-charset//TRANSLIT", false), "grüß");
}

TEST(Charset, WhatIsBrokenIsReplaced) {
  EXPECT_EQ(to_utf8("a\xff"
                    "b",
                    "utf-8", false),
            "a\xef\xbf\xbd"
            "b");
  EXPECT_EQ(to_utf8("\x82\xa0\x82", "shift_jis", false), "あ\xef\xbf\xbd");
  EXPECT_EQ(to_utf8("", "", true), "");
}

}  // namespace
}  // namespace talaria::web
