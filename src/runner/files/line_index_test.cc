#include "runner/files/line_index.h"

#include <fcntl.h>
#include <unistd.h>

#include <string>

#include <gtest/gtest.h>

#include "os/file.h"
#include "runner/limits.h"
#include "testing/temporary_directory.h"

namespace talaria::runner {
namespace {

struct Scanned {
  os::UniqueFd file;
  std::shared_ptr<const LineIndex> index;
  int turns = 0;
};

Scanned scan(const std::string& path) {
  Scanned scanned{.file = *os::open_file(path, O_RDONLY)};
  struct stat info{};
  ::fstat(scanned.file.get(), &info);
  LineScan work(scanned.file.get(), info);
  do {
    ++scanned.turns;
  } while (!work.go_on().value());
  scanned.index = work.index();
  return scanned;
}

TEST(LineIndex, CountsALineWithoutItsNewline) {
  const test::TemporaryDirectory directory;
  const struct {
    const char* name;
    std::string content;
    std::uint64_t lines;
    bool ends;
  } cases[] = {
      {"empty", "", 0, false},       {"one newline", "\n", 1, true},
      {"no newline", "a", 1, false}, {"a last part", "a\nb", 2, false},
      {"whole", "a\nb\n", 2, true},  {"CRLF", "a\r\nb\r\n", 2, true},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Scanned scanned = scan(directory.write("f", c.content));
    EXPECT_EQ(scanned.index->lines(), c.lines);
    EXPECT_EQ(scanned.index->ends_with_newline, c.ends);
  }
}

TEST(LineIndex, FindsEveryLineOfALargeFile) {
  const test::TemporaryDirectory directory;
  std::string content;
  std::vector<std::size_t> begins;
  for (int i = 0; content.size() < 6u << 20; ++i) {
    begins.push_back(content.size());
    // Also lines longer than a block, and such as begin right behind one.
    content += std::string(i % 5000 == 4999 ? 700'000 : i % 97, 'x') + "\n";
  }
  const Scanned scanned = scan(directory.write("f", content));
  EXPECT_GT(scanned.turns, 1) << "it was read in one turn, while others waited";
  ASSERT_EQ(scanned.index->lines(), begins.size());
  for (std::size_t i = 0; i < begins.size(); i += i < 100 ? 1 : 211) {
    EXPECT_EQ(scanned.index->begin_of(scanned.file.get(), i + 1), begins[i]) << "line " << i + 1;
  }
  EXPECT_EQ(scanned.index->begin_of(scanned.file.get(), begins.size() + 1), content.size());
}

TEST(LineIndex, KnowsWhenTheFileWasCut) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.write("f", std::string(3 * kLineBlock, '\n'));
  const Scanned scanned = scan(path);
  ASSERT_EQ(::truncate(path.c_str(), 10), 0);
  EXPECT_EQ(scanned.index->begin_of(scanned.file.get(), 2 * kLineBlock), std::nullopt);
}

TEST(LineIndex, ReadsWhatDoesNotSayItsSize) {
  EXPECT_GT(scan("/proc/self/status").index->lines(), 10u);
}

TEST(LineIndexes, KeepsThoseUsedLast) {
  LineIndexes indexes;
  const auto index_of = [](std::uint64_t inode, std::uint64_t size) {
    auto index = std::make_shared<LineIndex>();
    index->file = {.inode = inode, .size = size};
    return index;
  };
  for (std::uint64_t i = 0; i < kMaxLineIndexes; ++i) indexes.keep(index_of(i, 1));
  EXPECT_TRUE(indexes.find({.inode = 0, .size = 1}));
  indexes.keep(index_of(1000, 1));
  EXPECT_EQ(indexes.size(), kMaxLineIndexes);
  EXPECT_TRUE(indexes.find({.inode = 0, .size = 1}));
  EXPECT_FALSE(indexes.find({.inode = 1, .size = 1}));
  EXPECT_FALSE(indexes.find({.inode = 0, .size = 2})) << "it has changed";
  indexes.keep(index_of(0, 2));
  EXPECT_FALSE(indexes.find({.inode = 0, .size = 1})) << "nobody needs what it was";

  auto large = index_of(2000, 1);
  large->before.resize(kMaxLineIndexBytes / sizeof(std::uint64_t));
  indexes.keep(large);
  EXPECT_EQ(indexes.size(), 1u);
}

}  // namespace
}  // namespace talaria::runner
