#include "runner/output_log.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <random>

#include <gtest/gtest.h>

#include "runner/limits.h"
#include "testing/temporary_directory.h"

namespace talaria::runner {
namespace {

std::string scratch_file() {
  return (std::filesystem::temp_directory_path() / ("talaria-log-" + std::to_string(::getpid())))
      .string();
}

std::string numbered(std::size_t size) {
  std::string text;
  for (int i = 0; text.size() < size; ++i) text += std::to_string(i) + ",";
  text.resize(size);
  return text;
}

std::string read_all(const OutputLog& log, std::uint64_t from) {
  std::string text;
  for (;;) {
    const auto piece = log.read(from, 777);
    EXPECT_EQ(piece.from, from) << "a gap";
    if (piece.bytes.empty()) return text;
    text += piece.bytes;
    from += piece.bytes.size();
  }
}

TEST(OutputLog, SmallOutputStaysInMemory) {
  OutputLog log(100, 200, {scratch_file(), 1000});
  log.append("hello ");
  log.append("world");
  EXPECT_EQ(log.total(), 11u);
  EXPECT_EQ(read_all(log, 0), "hello world");
  EXPECT_EQ(read_all(log, 6), "world");
  EXPECT_TRUE(log.spill_path().empty());
  EXPECT_EQ(log.head(5), "hello");
  EXPECT_EQ(log.tail(5, 5).bytes, "world");
}

TEST(OutputLog, TheFileBeginsWhereItIsToldTo) {
  OutputLog log(100, 200, {.path = scratch_file(), .quota = 1000, .after = 20});
  log.append(numbered(20));
  EXPECT_TRUE(log.spill_path().empty());
  log.append("x");
  EXPECT_EQ(log.spilled(), 21u);
  EXPECT_EQ(read_all(log, 0), numbered(20) + "x");
}

TEST(OutputLog, EveryByteCanBeReadWhileTheQuotaLasts) {
  std::mt19937 random(1);
  const std::string text = numbered(5000);
  OutputLog log(100, 200, {scratch_file(), 1u << 20});
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = std::min<std::size_t>(random() % 500, text.size() - at);
    log.append(std::string_view(text).substr(at, size));
    at += size;
    EXPECT_EQ(read_all(log, 0), text.substr(0, at));
    const std::size_t from = random() % (at + 1);
    EXPECT_EQ(read_all(log, from), text.substr(from, at - from));
  }
  EXPECT_EQ(log.spilled(), 5000u);
  EXPECT_EQ(log.head(300), text.substr(0, 300));
  EXPECT_EQ(log.tail(1000, 0).bytes, text.substr(4000));
}

TEST(OutputLog, BeyondTheQuotaTheMiddleIsLostAndReadsSaySo) {
  const std::string text = numbered(5000);
  OutputLog log(100, 200, {scratch_file(), 1000});
  for (std::size_t at = 0; at < text.size(); at += 50) log.append(text.substr(at, 50));
  EXPECT_EQ(log.spilled(), 1000u);
  EXPECT_EQ(log.read(990, 100).bytes, text.substr(990, 10));
  const auto piece = log.read(1000, 10000);
  EXPECT_EQ(piece.from, 4800u);
  EXPECT_EQ(piece.bytes, text.substr(4800));
  EXPECT_EQ(log.tail(3000, 0).from, 4800u);
}

TEST(OutputLog, OneHugeChunkKeepsHeadAndTail) {
  const std::string text = numbered(100'000);
  OutputLog log(100, 200, {"", 0});
  log.append(text);
  EXPECT_EQ(log.head(100), text.substr(0, 100));
  EXPECT_EQ(log.tail(200, 100).bytes, text.substr(99'800));
  EXPECT_TRUE(log.spill_path().empty());
}

TEST(OutputLog, RoomTellsHowFarAReaderMayBeOutrun) {
  OutputLog log(100, 200, {scratch_file(), 1000});
  const std::string text = numbered(5000);
  std::uint64_t reader = 0;
  std::string seen;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = std::min<std::uint64_t>(log.room_before_losing(reader), 150);
    if (size > 0) {
      log.append(std::string_view(text).substr(at, std::min(size, text.size() - at)));
      at = log.total();
    } else {
      const auto piece = log.read(reader, 64);
      ASSERT_EQ(piece.from, reader) << "a byte was lost although there was no room";
      ASSERT_FALSE(piece.bytes.empty());
      seen += piece.bytes;
      reader += piece.bytes.size();
    }
  }
  seen += read_all(log, reader);
  EXPECT_EQ(seen, text);
}

// A file size limit stands in for a full disk: the write fails half way.
TEST(OutputLog, AFullDiskCostsTheMiddleNotTheCommand) {
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{.rlim_cur = 1000, .rlim_max = before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  OutputLog log(100, 200, {scratch_file(), 1u << 20});
  const std::string text = numbered(5000);
  log.append(text);
  log.append("end");
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(log.head(10), text.substr(0, 10));
  EXPECT_EQ(log.tail(3, 0).bytes, "end");
  EXPECT_NE(log.spill_error(), "");
}

TEST(OutputLog, ADirectoryThatIsGoneIsSaid) {
  OutputLog log(100, 200, {"/nonexistent/spill", 1u << 20});
  log.append(numbered(5000));
  EXPECT_NE(log.spill_error().find("/nonexistent/spill"), std::string::npos);
  EXPECT_TRUE(log.spill_path().empty());
}

TEST(OutputLog, RemovesItsFile) {
  const std::string path = scratch_file();
  {
    OutputLog log(10, 10, {path, 1000});
    log.append(numbered(500));
    EXPECT_TRUE(std::filesystem::exists(path));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(OutputLog, OneThatRollsSpillsFromTheFirstByte) {
  OutputLog log(0, 100, {.path = scratch_file(), .quota = 1 << 20, .rolls = true});
  log.append("a");
  EXPECT_EQ(log.spilled(), 1u);
  log.append(numbered(5000));
  EXPECT_EQ(read_all(log, 0), "a" + numbered(5000));
  log.settle();
  EXPECT_EQ(read_all(log, 0), "a" + numbered(5000));
}

TEST(OutputLog, OneThatRollsKeepsTheNewestAndGivesUpTheRest) {
  constexpr std::size_t kQuota = 64 << 10;
  OutputLog log(0, 1000, {.path = scratch_file(), .quota = kQuota, .rolls = true});
  const std::string all = numbered(1 << 20);
  for (std::size_t at = 0; at < all.size(); at += 3000) {
    log.append(std::string_view(all).substr(at, 3000));
  }
  EXPECT_EQ(read_all(log, all.size() - kQuota), all.substr(all.size() - kQuota));
  EXPECT_GT(log.spill_from(), 0u);
  EXPECT_EQ(log.read(0, 10).from, log.spill_from());
  EXPECT_EQ(log.read(0, 10).bytes, all.substr(log.spill_from(), 10));
  EXPECT_EQ(log.tail(kQuota, 0).bytes, all.substr(all.size() - kQuota));
  EXPECT_EQ(log.tail(all.size(), 0).from, log.spill_from());
  EXPECT_EQ(log.head(10), "");
  struct stat file{};
  ASSERT_EQ(::stat(scratch_file().c_str(), &file), 0);
  EXPECT_LT(static_cast<std::size_t>(file.st_blocks) * 512, 2 * kQuota);
}

TEST(OutputLog, OneThatBeginsToRollLosesNothingItHas) {
  OutputLog log(100, 200, {.path = scratch_file(), .quota = 1 << 20, .after = 1000});
  log.append(numbered(250));
  log.keep_newest();
  log.append(numbered(1000));
  EXPECT_EQ(read_all(log, 0), numbered(250) + numbered(1000));
}

TEST(OutputLog, OneWhoseFileIsFullRollsOnFromWhatMemoryHas) {
  OutputLog log(100, 200, {.path = scratch_file(), .quota = 4096});
  const std::string all = numbered(20'000);
  log.append(all);
  log.keep_newest();
  log.append("more");
  EXPECT_EQ(log.read(0, 100).bytes, all.substr(0, 100));
  EXPECT_EQ(log.spill_from(), 19'800u);
  EXPECT_EQ(read_all(log, 19'800), all.substr(19'800) + "more");
}

TEST(OutputLog, AFileThatStaysIsReadAgain) {
  const std::string all = numbered(300'000);
  {
    OutputLog log(0, 100, {.path = scratch_file(), .quota = 64 << 10, .rolls = true});
    for (std::size_t at = 0; at < all.size(); at += 3000) {
      log.append(std::string_view(all).substr(at, 3000));
    }
    log.leave_file();
  }
  {
    const auto log = OutputLog::reopen(scratch_file());
    EXPECT_EQ(log->total(), all.size());
    EXPECT_EQ(log->tail(64 << 10, 0).bytes, all.substr(all.size() - (64 << 10)));
    EXPECT_EQ(log->read(0, 5).bytes, all.substr(log->spill_from(), 5));
  }
  EXPECT_FALSE(std::filesystem::exists(scratch_file()));
  EXPECT_EQ(OutputLog::reopen(scratch_file())->total(), 0u);
}

// "out|ERRORS|out", piece by piece.
std::string by_stream(const OutputLog& log, std::size_t max) {
  std::string text;
  bool errors = false;
  for (std::uint64_t from = 0; from < log.total();) {
    const auto piece = log.read(from, max);
    EXPECT_EQ(piece.from, from) << "a gap";
    if (piece.bytes.empty()) return text + "nothing";
    if (piece.errors != errors) text += piece.errors ? "<" : ">";
    errors = piece.errors;
    text += piece.bytes;
    from += piece.bytes.size();
  }
  return text + (errors ? ">" : "");
}

TEST(OutputLog, KnowsWhichBytesAreOfStandardError) {
  const test::TemporaryDirectory directory;
  for (const std::size_t head : {0u, 4u, 100u}) {
    OutputLog log(head, 4, {.path = directory.path("spill"), .quota = 1000, .after = 0});
    log.append("one ");
    log.append("two ", true);
    log.append("three ", true);
    log.append("four");
    log.append("", true);
    log.append(" five");
    log.append("six", true);
    for (const std::size_t max : {1u, 3u, 1000u}) {
      EXPECT_EQ(by_stream(log, max), "one <two three >four five<six>");
    }
    EXPECT_EQ(log.head(1000), "one two three four fivesix");
  }
}

TEST(OutputLog, AReaderThatNeedsAllOfItKeepsTheStreamsKnown) {
  OutputLog log(0, 4 * kMostSwitches, {});
  for (std::size_t i = 0; i < kMostSwitches; ++i) log.append("x", i % 2 == 0);
  EXPECT_GT(log.room_before_losing(0), 0u);  // the first byte is at the first switch
  log.append("y", true);
  EXPECT_EQ(log.room_before_losing(0), 0u);
  EXPECT_GT(log.room_before_losing(1), 0u);
  EXPECT_FALSE(log.read(1, 1).errors);
  EXPECT_TRUE(log.read(2, 1).errors);
  EXPECT_FALSE(log.read(kMostSwitches - 1, 1).errors);
  EXPECT_TRUE(log.read(kMostSwitches, 1).errors);
}

TEST(OutputLog, ASecretIsHiddenInEachStream) {
  OutputLog log(100, 100, {});
  log.hide(Secret("secret"));
  log.append("a sec");
  log.append("b sec", true);
  log.append("ret");
  log.append("ret", true);
  EXPECT_EQ(by_stream(log, 100), "a <b >***<***>");
}

TEST(OutputLog, WhatIsHiddenIsNowhere) {
  const test::TemporaryDirectory directory;
  OutputLog log(8, 8, {.path = directory.path("spill"), .quota = 1000, .after = 0});
  log.hide(Secret("secret"));
  for (const char* piece : {"one sec", "ret two secret", " three sec"}) log.append(piece);
  EXPECT_EQ(directory.read("spill"), "one *** two *** three ");
  log.show_all();
  EXPECT_EQ(directory.read("spill"), "one *** two *** three sec");
  EXPECT_EQ(log.total(), 25u);
  EXPECT_EQ(read_all(log, 0), "one *** two *** three sec");
}

}  // namespace
}  // namespace talaria::runner
