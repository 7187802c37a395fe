#include "runner/files/uploads.h"

#include <sys/stat.h>

#include <filesystem>

#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sha256.h"
#include "testing/temporary_directory.h"

namespace talaria::runner {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class UploadsTest : public testing::Test {
 protected:
  link::WriteFile whole(const std::string& name, const std::string& data) {
    return {.path = root_.path(name),
            .upload = "u" + std::to_string(++number_),
            .data = data,
            .last = true};
  }
  // "done", "next N", or what is wrong.
  std::string write(const link::WriteFile& piece) {
    const auto report = uploads_.write(root_.path(), piece);
    if (!report) {
      return std::string(kind_name(report.error().kind())) + ": " + report.error().message();
    }
    return report->done ? "done" : "next " + std::to_string(report->next);
  }
  std::size_t names() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(root_.path()), fs::directory_iterator()));
  }

  test::TemporaryDirectory root_;
  asio::io_context loop_{1};
  Uploads uploads_{loop_.get_executor(), std::chrono::milliseconds(50)};
  int number_ = 0;
};

TEST_F(UploadsTest, AFileComesInPiecesAndIsSeenWhenItIsWhole) {
  link::WriteFile piece{
      .path = "~/a/b", .upload = "u", .data = "one ", .size = 12, .parents = 0750};
  EXPECT_EQ(write(piece), "next 4");
  EXPECT_EQ(root_.read("a/b"), "(none)");
  EXPECT_EQ(write(piece), "next 4");  // once more: the answer was lost
  piece.from = 4;
  piece.data = "two ";
  EXPECT_EQ(write(piece), "next 8");
  piece.from = 2;  // overlaps what is there
  piece.data = "e two three";
  piece.last = true;
  EXPECT_EQ(write(piece), "done");
  EXPECT_EQ(root_.read("a/b"), "one two three");
  EXPECT_EQ(write(piece), "done");  // remembered
  EXPECT_EQ(fs::status(root_.path("a")).permissions(), fs::perms(0750));
  EXPECT_EQ(fs::status(root_.path("a/b")).permissions(), fs::perms(0644));
  EXPECT_EQ(uploads_.open(), 0u);
}

TEST_F(UploadsTest, PiecesMayOvertakeEachOther) {
  link::WriteFile piece{.path = root_.path("f"), .upload = "u", .data = "one ", .size = 16};
  EXPECT_EQ(write(piece), "next 4");
  const auto at = [&](std::uint64_t from, const std::string& data) {
    piece.from = from;
    piece.data = data;
    return write(piece);
  };
  EXPECT_EQ(at(12, "four"), "next 4");
  EXPECT_EQ(at(8, "thr "), "next 4");
  EXPECT_EQ(at(8, "thr "), "next 4");  // again: the answer was lost
  EXPECT_EQ(at(4, "two "), "next 16");
  EXPECT_EQ(at(12, "four"), "next 16");
  piece.last = true;
  EXPECT_EQ(at(16, "."), "done");
  EXPECT_EQ(root_.read("f"), "one two thr four.");
}

TEST_F(UploadsTest, NoMoreIsKeptAheadThanWasSaid) {
  link::WriteFile piece{.path = root_.path("f"), .upload = "u", .data = "x"};
  const auto first = uploads_.write(root_.path(), piece);
  ASSERT_TRUE(first);
  EXPECT_GT(first->ahead, 0u);
  piece.from = 2;
  piece.data.assign(first->ahead, 'y');
  EXPECT_EQ(write(piece), "next 1");
  piece.from += piece.data.size();
  piece.data = "z";
  EXPECT_THAT(write(piece), HasSubstr("bad_request: WriteFile.from"));
  EXPECT_EQ(uploads_.open(), 0u);
  EXPECT_EQ(names(), 0u);
}

TEST_F(UploadsTest, AnEndBehindAGapOrAnUnknownUploadIsRefusedAndLeavesNothing) {
  link::WriteFile piece{.path = root_.path("f"), .upload = "u", .data = "x"};
  EXPECT_EQ(write(piece), "next 1");
  piece.from = 3;
  piece.last = true;
  EXPECT_THAT(write(piece), HasSubstr("bad_request: WriteFile.from"));
  EXPECT_EQ(uploads_.open(), 0u);
  EXPECT_THAT(write(piece), HasSubstr("not_found: no upload 'u'"));
  EXPECT_EQ(names(), 0u);
}

TEST_F(UploadsTest, OneThatNobodyContinuesIsDropped) {
  EXPECT_EQ(write({.path = root_.path("f"), .upload = "u", .data = "x", .size = 1 << 20}),
            "next 1");
  EXPECT_EQ(uploads_.open(), 1u);
  loop_.run();  // ends when there is nothing left to drop
  EXPECT_EQ(uploads_.open(), 0u);
  EXPECT_EQ(names(), 0u);
}

// Every piece of another upload put off the moment to drop it.
TEST_F(UploadsTest, OneThatNobodyContinuesIsDroppedWhileOthersGoOn) {
  EXPECT_EQ(write({.path = root_.path("idle"), .upload = "idle", .data = "x"}), "next 1");
  const link::WriteFile busy{.path = root_.path("busy"), .upload = "busy", .data = "y"};
  EXPECT_EQ(write(busy), "next 1");
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (uploads_.open() != 1 && std::chrono::steady_clock::now() < until) {
    EXPECT_EQ(write(busy), "next 1");
    loop_.run_for(std::chrono::milliseconds(5));
    loop_.restart();
  }
  EXPECT_THAT(write({.path = root_.path("idle"), .upload = "idle", .from = 1, .data = "x"}),
              HasSubstr("not_found"));
}

TEST_F(UploadsTest, ModeAndTimeAreThoseAskedForOrThoseOfTheOldFile) {
  fs::permissions(root_.write("f", "old"), fs::perms(0751));
  EXPECT_EQ(write(whole("f", "new")), "done");
  EXPECT_EQ(fs::status(root_.path("f")).permissions(), fs::perms(0751));
  link::WriteFile piece = whole("f", "newer");
  piece.mode = 0600;
  piece.mtime_ns = 1'234'567'890'123'456'789;
  piece.durable = true;
  EXPECT_EQ(write(piece), "done");
  struct stat info{};
  ASSERT_EQ(::stat(root_.path("f").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0600u);
  EXPECT_EQ(info.st_mtim.tv_sec, 1'234'567'890);
  EXPECT_EQ(info.st_mtim.tv_nsec, 123'456'789);
}

TEST_F(UploadsTest, TheOldContentMayHaveToBeWhatTheWriterThinks) {
  root_.write("f", "old");
  link::WriteFile piece = whole("f", "new");
  piece.expected = sha256_hex("other");
  EXPECT_THAT(write(piece), HasSubstr("denied"));
  piece = whole("f", "new");
  piece.expected = "";
  EXPECT_THAT(write(piece), HasSubstr("the file exists now"));
  EXPECT_EQ(root_.read("f"), "old");
  piece = whole("f", "new");
  piece.expected = sha256_hex("old");
  EXPECT_EQ(write(piece), "done");
  piece = whole("g", "new");
  piece.expected = "";
  EXPECT_EQ(write(piece), "done");

  // Changed between the first piece and the last.
  piece = whole("f", std::string());
  piece.expected = sha256_hex("new");
  piece.last = false;
  piece.size = 1;
  EXPECT_EQ(write(piece), "next 0");
  root_.write("f", "changed");
  piece.last = true;
  EXPECT_THAT(write(piece), HasSubstr("the file has changed"));
  EXPECT_EQ(root_.read("f"), "changed");
}

TEST_F(UploadsTest, LinksAreWrittenThroughUnlessThePathMustStayBelow) {
  root_.write("outside/target", "old");
  fs::create_directory(root_.path("base"));
  fs::create_symlink("../outside/target", root_.path("base/link"));
  fs::create_directory_symlink("../outside", root_.path("base/out"));
  EXPECT_EQ(write(whole("base/link", "through")), "done");
  EXPECT_EQ(root_.read("outside/target"), "through");
  EXPECT_TRUE(fs::is_symlink(root_.path("base/link")));

  link::WriteFile below{
      .path = "link", .below = root_.path("base"), .upload = "b", .data = "x", .last = true};
  EXPECT_EQ(write(below), "done");
  EXPECT_FALSE(fs::is_symlink(root_.path("base/link")));
  EXPECT_EQ(root_.read("outside/target"), "through");
  for (const char* path : {"out/new", "../outside/target", "/etc/x", "", "a/../../x", "."}) {
    SCOPED_TRACE(path);
    below.path = path;
    below.upload += "x";
    below.parents = 0700;
    EXPECT_NE(write(below), "done");
  }
  EXPECT_FALSE(fs::exists(root_.path("outside/new")));
}

TEST_F(UploadsTest, WhatIsNoFileIsNotReplacedAndNothingWaits) {
  fs::create_directory(root_.path("d"));
  ::mkfifo(root_.path("pipe").c_str(), 0600);
  EXPECT_THAT(write(whole("d", "x")), HasSubstr("is a directory; it was not replaced"));
  EXPECT_THAT(write(whole("pipe", "x")), HasSubstr("is a device, pipe or socket"));
  EXPECT_THAT(write(whole("none/x", "x")), HasSubstr("not_found"));
  EXPECT_THAT(write({.path = "relative", .upload = "r"}), HasSubstr("is not an absolute path"));
  EXPECT_THAT(write({.path = root_.path("f")}), HasSubstr("an id is required"));
  EXPECT_EQ(names(), 2u);
}

TEST_F(UploadsTest, NoRoomIsSaidAtOnce) {
  const std::string full = "/dev/shm/talaria-uploads-test";  // a filesystem that is bounded
  link::WriteFile piece{.path = full, .upload = "u", .data = "x", .size = 1ull << 50};
  const std::string answer = write(piece);
  EXPECT_THAT(answer, testing::AnyOf(HasSubstr("No space left"), HasSubstr("File too large")));
  EXPECT_EQ(uploads_.open(), 0u);
  EXPECT_FALSE(fs::exists(full));
}

}  // namespace
}  // namespace talaria::runner
