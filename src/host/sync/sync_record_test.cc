#include "host/sync/sync_record.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "testing/run_to_end.h"
#include "testing/temporary_directory.h"

namespace talaria::host {
namespace {

PushedFile pushed(const std::string& name, std::int64_t time, const std::string& digest) {
  const os::FileFacts facts{.size = 7, .mtime_ns = time};
  return {.from = {.root = "/home/me", .inside = name, .facts = facts, .secret = true},
          .there = facts,
          .sha256 = digest};
}

// A time in nanoseconds is too large for the numbers of other readers of JSON.
constexpr std::int64_t kTime = 1'795'000'000'123'456'789;

TEST(SyncRecordTest, TheNextProgramReadsWhatWasWritten) {
  const test::TemporaryDirectory home;
  SyncRecord first(home.path(), "ssh\nme@box");
  PushedFiles files{{"a", pushed("a", kTime, "01ab")}, {"b", pushed("b", kTime, "")}};
  ASSERT_TRUE(test::run_to_end(first.change({"a", "b"}, files)));
  EXPECT_FALSE(first.read_if_changed()) << "it wrote that itself";

  SyncRecord second(home.path(), "ssh\nme@box");
  const auto read = second.read_if_changed();
  ASSERT_TRUE(read);
  ASSERT_EQ(read->size(), 2u) << "one of unknown digest is known, too";
  EXPECT_EQ(read->at("a").sha256, "01ab");
  EXPECT_EQ(read->at("a").from.facts.mtime_ns, kTime);
  EXPECT_TRUE(read->at("a").from.secret);
  EXPECT_EQ(read->at("b").from.inside, "b");
  EXPECT_FALSE(second.read_if_changed());

  files.erase("a");
  ASSERT_TRUE(test::run_to_end(first.change({"a"}, files)));
  EXPECT_EQ(second.read_if_changed()->size(), 1u);
  SyncRecord other(home.path(), "ssh\nme@elsewhere");
  EXPECT_FALSE(other.read_if_changed());
}

TEST(SyncRecordTest, ADamagedRecordIsNone) {
  const test::TemporaryDirectory home;
  SyncRecord record(home.path(), "t");
  ASSERT_TRUE(test::run_to_end(record.change({"a"}, {{"a", pushed("a", 1, "x")}})));
  const std::filesystem::path directory = home.path("talaria/sync/record");
  for (const char* text : {"{\"a\":", "[]", "{\"a\":7}", "{\"a\":{\"here\":{\"size\":-1}}}"}) {
    for (const auto& one : std::filesystem::directory_iterator(directory)) {
      if (one.path().filename() != "lock") {
        home.write("talaria/sync/record/" + one.path().filename().string(), text);
      }
    }
    SyncRecord next(home.path(), "t");
    EXPECT_TRUE(next.read_if_changed()->empty()) << text;
  }
}

}  // namespace
}  // namespace talaria::host
