#include "runner/search/ripgrep_output.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace talaria::runner {
namespace {

using namespace std::string_literals;

// The files and lines in `bytes`, which come in pieces of that size.
std::string read(const std::string& bytes, std::size_t piece,
                 link::SearchMode mode = link::SearchMode::content, std::uint64_t most = 100) {
  std::string text;
  RipgrepOutput output({.mode = mode,
                        .max_line = 6,
                        .wanted_of = [&](const std::string&) { return most; },
                        .on_file =
                            [&](const link::FoundFile& file) {
                              text += "[" + file.path + "] " + std::to_string(file.matches) + "\n";
                              for (const link::FoundLine& line : file.lines) {
                                text += std::to_string(line.number) + (line.context ? "-" : ":") +
                                        line.text + (line.cut ? "...\n" : "\n");
                              }
                            },
                        .exists = [](const std::string& path) { return path.ends_with("real"); }});
  for (std::size_t i = 0; i < bytes.size(); i += piece) output.take(bytes.substr(i, piece));
  output.finish();
  return text;
}

TEST(RipgrepOutput, ReadsLinesInPiecesOfAnySize) {
  const std::string bytes =
      "./a\0001:one\n./a\0002-two\n--\n./a\00012:12:34-x\n./b\nc\0001:too long\n"s;
  const std::string expected = "[a] 2\n1:one\n2-two\n12:12:34-...\n[b\nc] 1\n1:too lo...\n";
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece)
    EXPECT_EQ(read(bytes, piece), expected);
}

TEST(RipgrepOutput, ANoticeAboutABinaryFileIsNoPath) {
  const std::string notice =
      "./a: WARNING: stopped searching binary file after match (found \"\\0\" byte around offset "
      "7)\n";
  EXPECT_EQ(read("./a\0001:x\n"s + notice + "./b\0002:y\n"s, 5), "[a] 1\n1:x\n[b] 1\n2:y\n");
  EXPECT_EQ(read("./a\0001:x\n"s + notice, 5), "[a] 1\n1:x\n") << "as the last";
  // A file may have such a name.
  EXPECT_EQ(read("./a\0001:x\n"s + notice + "./real\0002:y\n"s, 5),
            "[a] 1\n1:x\n[" + notice.substr(2) + "./real] 1\n2:y\n");
}

TEST(RipgrepOutput, CountsWhatItDoesNotKeep) {
  EXPECT_EQ(
      read("./a\0001:x\n./a\0002-y\n./a\0003:z\n./a\0004-w\n"s, 3, link::SearchMode::content, 1),
      "[a] 2\n1:x\n2-y\n");
}

TEST(RipgrepOutput, ReadsCountsAndNames) {
  EXPECT_EQ(read("./a\00012\n./b\nb\0003\n"s, 1, link::SearchMode::count), "[a] 12\n[b\nb] 3\n");
  EXPECT_EQ(read("./a\0./b\nb\0"s, 1, link::SearchMode::names), "[a] 0\n[b\nb] 0\n");
}

TEST(RipgrepOutput, ALineThatWasCutOffIsNone) {
  EXPECT_EQ(read("./a\0001:x\n./a\0002:ha"s, 4), "[a] 1\n1:x\n");
}

}  // namespace
}  // namespace talaria::runner
