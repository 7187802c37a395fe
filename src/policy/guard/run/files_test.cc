#include "policy/guard/run/files.h"

#include <gtest/gtest.h>

namespace talaria::guard {
namespace {

class FilesTest : public testing::Test {
 protected:
  static SeenCommand command(const std::vector<std::string>& words) {
    SeenCommand seen;
    for (const std::string& word : words) seen.words.push_back({word});
    seen.program = words.front();
    return seen;
  }

  void write(const std::vector<std::string>& words, const std::string& path,
             ShellRedirect::Kind kind = ShellRedirect::Kind::output) {
    SeenCommand seen = command(words);
    seen.redirects.push_back({kind, 1, {path}});
    files_.note(seen);
  }

  // The texts a script may be, between bars.
  std::string script(const std::string& path) {
    std::string all;
    for (const FileContent& content : files_.script_at(command({"sh", path}), 1)) {
      all += (all.empty() ? "" : "|") + (content.text ? *content.text : "?");
    }
    return all;
  }

  GuardContext context_;
  Findings findings_;
  Situation now_;
  ShellState state_{context_, findings_, now_};
  Io io_{now_};
  static const std::vector<std::string_view>& watched() {
    static const std::vector<std::string_view> names{"rm"};
    return names;
  }
  Files files_{findings_, now_, io_, state_, &watched};
};

TEST_F(FilesTest, KnowsWhatCommandsWrite) {
  write({"echo", "a"}, "x.sh");
  EXPECT_EQ(script("x.sh"), "a\n");
  write({"echo", "b"}, "x.sh", ShellRedirect::Kind::append);
  EXPECT_EQ(script("./x.sh"), "a\nb\n");
  write({"cat", "x.sh"}, "y.sh");
  EXPECT_EQ(script("y.sh"), "a\nb\n");
  files_.note(command({"cp", "x.sh", "bin/z"}));
  EXPECT_EQ(script("bin/z"), "a\nb\n");
  files_.note(command({"curl", "-o", "net.sh", "https://h/x"}));
  EXPECT_EQ(script("net.sh"), "?");
  EXPECT_EQ(script("other.sh"), "");
}

TEST_F(FilesTest, ARelativePathIsAnotherFileElsewhere) {
  write({"echo", "a"}, "x.sh");
  state_.change_directory(command({"cd", "/tmp"}));
  EXPECT_EQ(script("x.sh"), "a\n") << "it may be the same";
  write({"echo", "b"}, "x.sh");
  EXPECT_EQ(script("x.sh"), "b\n");
  EXPECT_EQ(script("/srv/x.sh"), "a\n|b\n");
}

TEST_F(FilesTest, KnowsProgramsUnderOtherNames) {
  files_.note(command({"cp", "/bin/rm", "tidy"}));
  EXPECT_EQ(files_.original_of("tidy"), "rm");
  EXPECT_EQ(files_.original_of("rm"), "");
}

TEST_F(FilesTest, FindsTheInstructionsOfAProgram) {
  write({"echo", "all:"}, "Makefile");
  EXPECT_EQ(files_.read_by(command({"make"})).size(), 1u);
  EXPECT_TRUE(files_.read_by(command({"ls"})).empty());
}

TEST_F(FilesTest, SaysWhereProgramsAreLookedFor) {
  files_.note_search_path("/usr/local/bin:/usr/bin");
  EXPECT_TRUE(findings_.concerns().empty());
  files_.note_search_path("/tmp/x:/usr/bin");
  EXPECT_EQ(findings_.concerns().size(), 1u);
}

}  // namespace
}  // namespace talaria::guard
