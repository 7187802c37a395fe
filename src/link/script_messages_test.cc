#include "link/script_messages.h"

#include <gtest/gtest.h>

namespace talaria::link {
namespace {

using namespace std::string_view_literals;

TEST(ScriptRecords, AreTwoNumbersAndBytes) {
  EXPECT_EQ(encode_record({.connection = 0x01020384, .bytes = "ab"}),
            "\x84\x03\x02\x01\x02\0\0\0ab"sv);
  EXPECT_EQ(encode_record({.connection = 7}), "\x07\0\0\0\0\0\0\0"sv);
}

TEST(ScriptRecords, ComeBackAsTheyWereWhereverTheStreamIsCut) {
  const std::string long_one(70'000, '\xff');
  const ScriptRecord records[] = {
      {1, "a line\n"}, {0xFFFFFFFF, long_one}, {1, ""}, {2, "\0\n\0"sv}};
  std::string all;
  for (const ScriptRecord& record : records) all += encode_record(record);
  for (const std::size_t step : {std::size_t{1}, std::size_t{7}, std::size_t{4096}, all.size()}) {
    SCOPED_TRACE(step);
    std::string unread;
    std::size_t found = 0;
    for (std::size_t at = 0; at < all.size(); at += step) {
      unread += all.substr(at, step);
      std::string_view rest = unread;
      while (const auto record = take_record(rest)) {
        ASSERT_LT(found, std::size(records));
        EXPECT_EQ(*record, records[found++]);
      }
      unread.erase(0, unread.size() - rest.size());
    }
    EXPECT_EQ(found, std::size(records));
    EXPECT_EQ(unread, "");
  }
}

// A size that is more than ever comes is waited for, not believed.
TEST(ScriptRecords, ASizeIsNoPromise) {
  std::string_view stream = "\x01\0\0\0\xff\xff\xff\xff some"sv;
  EXPECT_FALSE(take_record(stream));
  EXPECT_EQ(stream.size(), 13u);
}

}  // namespace
}  // namespace talaria::link
