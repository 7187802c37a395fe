#include "base/visible_text.h"

#include <gtest/gtest.h>

namespace talaria {
namespace {

using namespace std::string_literals;

TEST(VisibleText, NothingDrawsHidesOrRunsBackwards) {
  const struct {
    const char* name;
    std::string text;
    std::string expected;
  } cases[] = {
      {"plain", "rm -rf build # ok", "rm -rf build # ok"},
      {"lines stay", "a\nb", "a\nb"},
      {"letters of others", "grün 日本", "grün 日本"},
      {"escape", "x\x1b[2Ky", "x<ESC>[2Ky"},
      {"carriage return hides what was before", "rm -rf /\rls", "rm -rf /<CR>ls"},
      {"tab", "a\tb", "a<TAB>b"},
      {"nul", "a\0b"s, "a<00>b"},
      {"backspace", "rm\b\bls", "rm<08><08>ls"},
      {"C1 control", "\xc2\x9b"s + "2J", "<U+009B>2J"},
      {"override of direction", "a\xe2\x80\xae"s + "b", "a<U+202E>b"},
      {"isolate", "\xe2\x81\xa6", "<U+2066>"},
      {"zero width", "r\xe2\x80\x8bm", "r<U+200B>m"},
      {"no-break space", "rm\xc2\xa0x", "rm<U+00A0>x"},
      {"tag", "\xf3\xa0\x81\x81", "<U+0E0041>"},
      {"no UTF-8", "a\xff\xc3z", "a<FF><C3>z"},
      {"cut off", "\xe2\x80", "<E2><80>"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(visible_text(c.text), c.expected);
  }
}

TEST(VisibleText, WhatWasMadeVisibleCanBeMarked) {
  EXPECT_EQ(visible_text("a\x1b", "[", "]"), "a[<ESC>]");
}

TEST(QuotedName, OnlyAPlainOneStandsAlone) {
  EXPECT_EQ(quoted_name("build-3"), "build-3");
  EXPECT_EQ(quoted_name("a, target docker"), "'a, target docker'");
  EXPECT_EQ(quoted_name("it's"), "'it\\'s'");
  EXPECT_EQ(quoted_name(""), "''");
}

}  // namespace
}  // namespace talaria
