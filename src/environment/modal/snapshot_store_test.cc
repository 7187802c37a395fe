#include "environment/modal/snapshot_store.h"

#include <unistd.h>

#include <filesystem>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "testing/run_to_end.h"
#include "testing/temporary_directory.h"

namespace talaria::environment::modal {
namespace {

class ModalSnapshotsTest : public testing::Test {
 protected:
  void store(const std::string& task, const std::string& image) {
    const auto stored = test::run_to_end(store_modal_snapshot(home_.path(), task, image));
    EXPECT_TRUE(stored) << stored.error().message();
  }
  std::string found(const std::string& task) {
    return find_modal_snapshot(home_.path(), task).value_or("(none)");
  }
  std::string file() { return home_.read("modal_snapshots.json"); }

  test::TemporaryDirectory home_;
};

TEST_F(ModalSnapshotsTest, AreAMapThatPeopleCanRead) {
  EXPECT_EQ(found("a"), "(none)");
  store("a", "im-1");
  store("b", "im-2");
  store("a", "im-3");
  EXPECT_EQ(file(), "{\n  \"direct:a\": \"im-3\",\n  \"direct:b\": \"im-2\"\n}\n");
  EXPECT_EQ(found("a"), "im-3");
}

TEST_F(ModalSnapshotsTest, AnOlderKeyIsReadAndReplacedByTodays) {
  home_.write("modal_snapshots.json", R"({"a":"im-old","other":"im-o"})");
  EXPECT_EQ(found("a"), "im-old");
  store("a", "im-old");
  EXPECT_EQ(file(), "{\n  \"other\": \"im-o\",\n  \"direct:a\": \"im-old\"\n}\n");
}

TEST_F(ModalSnapshotsTest, TodaysKeyCountsBeforeTheOlder) {
  home_.write("modal_snapshots.json", R"({"a":"im-old","direct:a":"im-new"})");
  EXPECT_EQ(found("a"), "im-new");
}

TEST_F(ModalSnapshotsTest, ATaskIsNotTakenForAnotherWhoseKeyItIsCalled) {
  store("a", "im-a");
  EXPECT_EQ(found("direct:a"), "(none)");
  store("direct:a", "im-b");
  EXPECT_EQ(found("a"), "im-a");
  ASSERT_TRUE(test::run_to_end(forget_modal_snapshot(home_.path(), "direct:a")));
  EXPECT_EQ(found("a"), "im-a");
}

TEST_F(ModalSnapshotsTest, OneThatIsGoneIsTakenOutWhicheverKeyNamesIt) {
  home_.write("modal_snapshots.json", R"({"a":"im-gone","direct:a":"im-gone","b":"im-gone"})");
  ASSERT_TRUE(test::run_to_end(drop_modal_snapshot(home_.path(), "a", "im-gone")));
  EXPECT_EQ(file(), "{\n  \"b\": \"im-gone\"\n}\n");
  ASSERT_TRUE(test::run_to_end(drop_modal_snapshot(home_.path(), "b", "im-another")));
  EXPECT_EQ(found("b"), "im-gone");
  ASSERT_TRUE(test::run_to_end(forget_modal_snapshot(home_.path(), "b")));
  EXPECT_EQ(file(), "{}\n");
}

TEST_F(ModalSnapshotsTest, AFileThatCannotBeReadIsAnEmptyMapAndIsSetAside) {
  for (const char* text : {"no json", "[1]", "\"im-1\"", ""}) {
    SCOPED_TRACE(text);
    home_.write("modal_snapshots.json", text);
    EXPECT_EQ(found("a"), "(none)");
    store("a", "im-1");
    EXPECT_EQ(found("a"), "im-1");
    EXPECT_EQ(home_.read("modal_snapshots.json.unreadable"), text);
  }
  home_.write("modal_snapshots.json", R"({"direct:a":7})");
  EXPECT_EQ(found("a"), "(none)");
}

TEST_F(ModalSnapshotsTest, ADirectoryInItsPlaceIsSetAside) {
  namespace fs = std::filesystem;
  fs::create_directories(home_.path() + "/modal_snapshots.json/of-somebody");
  EXPECT_EQ(found("a"), "(none)");
  store("a", "im-1");
  EXPECT_EQ(found("a"), "im-1");
  EXPECT_TRUE(fs::exists(home_.path() + "/modal_snapshots.json.unreadable/of-somebody"));
}

TEST_F(ModalSnapshotsTest, ManyWritersLoseNothing) {
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 4; ++writer) {
    writers.emplace_back([&, writer] {
      for (int task = 0; task < 10; ++task) {
        store(std::to_string(writer) + "-" + std::to_string(task), "im-x");
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  for (int writer = 0; writer < 4; ++writer) {
    for (int task = 0; task < 10; ++task) {
      EXPECT_EQ(found(std::to_string(writer) + "-" + std::to_string(task)), "im-x");
    }
  }
}

}  // namespace
}  // namespace talaria::environment::modal
