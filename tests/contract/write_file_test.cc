// What a caller of write_file may rely on.
#include <sys/stat.h>
#include <sys/xattr.h>

#include <csignal>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/file_tool_test.h"

namespace talaria::test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class WriteFileTest : public FileToolTest {
 protected:
  unsigned mode(const std::string& name) const {
    struct stat info{};
    return ::stat(at(name).c_str(), &info) == 0 ? info.st_mode & 07777u : 0;
  }
  ino_t inode(const std::string& name) const {
    struct stat info{};
    return ::stat(at(name).c_str(), &info) == 0 ? info.st_ino : 0;
  }
  static std::string lint(const json::object& result, std::string_view name) {
    return text(result.at("lint").as_object(), name);
  }
};

TEST_F(WriteFileTest, AnswersWithWhatWasWrittenWhere) {
  const json::object result = write("a.txt", "hello\n");
  EXPECT_EQ(on_disk("a.txt"), "hello\n");
  EXPECT_EQ(number(result, "bytes_written"), 6);
  EXPECT_FALSE(flag(result, "dirs_created"));
  EXPECT_EQ(text(result, "resolved_path"), at("a.txt"));
  EXPECT_EQ(result.at("files_modified").at(0).as_string(), at("a.txt"));
  EXPECT_EQ(lint(result, "message"), "No linter for .txt files");
  EXPECT_FALSE(result.contains("_warning"));
  EXPECT_FALSE(result.contains("error"));
}

TEST_F(WriteFileTest, LinesEndAsTheyDidBefore) {
  put("f", "a\r\nb\r\n");
  EXPECT_EQ(number(write("f", "x\ny\r\n"), "bytes_written"), 6);
  EXPECT_EQ(on_disk("f"), "x\r\ny\r\n");
  put("bom",
      "\xEF\xBB\xBF"
      "a\n");
  write("bom", "b\n");
  EXPECT_EQ(on_disk("bom"),
            "\xEF\xBB\xBF"
            "b\n");
  write("bom",
        "\xEF\xBB\xBF"
        "c\n");
  EXPECT_EQ(on_disk("bom"),
            "\xEF\xBB\xBF"
            "c\n");
}

TEST_F(WriteFileTest, ANewFileHasTheModeItsSessionGivesIt) {
  agent().run("umask 022");
  write("f", "x");
  EXPECT_EQ(mode("f"), 0644u);
  agent().run("umask 077");
  write("g", "x");
  EXPECT_EQ(mode("g"), 0600u);
}

TEST_F(WriteFileTest, AnOldFileKeepsItsModeAndIsReplacedInOneStep) {
  fs::permissions(put("f", "old"), fs::perms(0755));
  const ino_t before = inode("f");
  write("f", "new");
  EXPECT_EQ(mode("f"), 0755u);
  EXPECT_NE(inode("f"), before);
  EXPECT_THAT(names(), ElementsAre("f"));
}

TEST_F(WriteFileTest, OwnerAndAttributesStay) {
  const std::string path = put("f", "old");
  ASSERT_EQ(::setxattr(path.c_str(), "user.note", "mine", 4, 0), 0);
  const bool may_give_away = ::chown(path.c_str(), 1234, 1235) == 0;
  write("f", "new");
  char value[8] = {};
  EXPECT_EQ(::getxattr(path.c_str(), "user.note", value, sizeof value), 4);
  struct stat info{};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  if (may_give_away) {
    EXPECT_EQ(info.st_uid, 1234u);
    EXPECT_EQ(info.st_gid, 1235u);
  }
}

TEST_F(WriteFileTest, ADirectoryIsNotWritten) {
  agent();
  fs::create_directory(at("d"));
  const json::object result = write("d", "x");
  EXPECT_THAT(text(result, "error"), HasSubstr("is a directory"));
  EXPECT_EQ(number(result, "bytes_written"), 0);
  EXPECT_THAT(names("d"), IsEmpty());
  EXPECT_THAT(names(), ElementsAre("d"));
}

TEST_F(WriteFileTest, ALinkStaysOne) {
  put("real", "old");
  fs::create_symlink("real", at("link"));
  fs::create_symlink("later", at("dangling"));
  write("link", "new");
  EXPECT_TRUE(fs::is_symlink(at("link")));
  EXPECT_EQ(on_disk("real"), "new");
  write("dangling", "made");
  EXPECT_TRUE(fs::is_symlink(at("dangling")));
  EXPECT_EQ(on_disk("later"), "made");
}

TEST_F(WriteFileTest, AnyNameAndAnyContentIsExact) {
  const std::string name = "a 'b' \"c\" $(touch oops) `touch oops` -x;\n*";
  constexpr std::string_view kPiece("'\"$(touch oops)`touch oops`\\ \t\0x\n", 33);
  std::string content;
  while (content.size() < 5'000'000) content += kPiece;
  const json::object result = write(name, content);
  EXPECT_EQ(number(result, "bytes_written"), static_cast<std::int64_t>(content.size()));
  EXPECT_TRUE(on_disk(name) == content);
  EXPECT_THAT(names(), ElementsAre(name));
}

TEST_F(WriteFileTest, DirectoriesAreMadeAndSaidToBe) {
  EXPECT_TRUE(flag(write("a/b/c.txt", "x"), "dirs_created"));
  EXPECT_FALSE(flag(write("a/b/d.txt", "x"), "dirs_created"));
}

TEST_F(WriteFileTest, WhatIsWrongWithTheSyntaxIsTold) {
  json::object result = write("new.py", "def f(:\n");
  EXPECT_EQ(lint(result, "status"), "error");
  EXPECT_EQ(lint(result, "output"), "SyntaxError: invalid syntax (line 1, column 7)");
  EXPECT_FALSE(result.contains("error"));
  result = write("new.py", "def f(:\n");
  EXPECT_THAT(lint(result, "message"), StartsWith("Pre-existing lint errors"));
  result = write("new.py", "x = 1\ndef f(:\n");
  EXPECT_THAT(lint(result, "output"),
              StartsWith("New lint errors introduced by this edit (pre-existing errors filtered "
                         "out):\nSyntaxError: invalid syntax (line 2, column 7)"));
  EXPECT_EQ(lint(write("new.py", "x = 1\n"), "status"), "ok");
}

TEST_F(WriteFileTest, OtherLanguagesAreCheckedToo) {
  EXPECT_EQ(lint(write("f.json", "{\"a\": }"), "output"),
            "JSONDecodeError: Expecting value (line 1, column 7)");
  EXPECT_EQ(lint(write("g.json", "{\"a\": [1, 2.5e3, null]}"), "status"), "ok");
  EXPECT_EQ(lint(write("f.yaml", "a: [1\nb: 2\n"), "status"), "error");
  EXPECT_EQ(lint(write("g.yml", "a: [1]\n---\nb: 2\n"), "status"), "ok");
  EXPECT_EQ(lint(write("f.toml", "a = \n"), "status"), "error");
  EXPECT_EQ(lint(write("g.toml", "a = 1\n"), "status"), "ok");
}

TEST_F(WriteFileTest, WhatIsProtectedIsNotWritten) {
  const std::string user = world_.directory("user");
  agent().run("export HOME=" + user);
  EXPECT_EQ(text(write("~/.ssh/id_rsa", "x"), "error"),
            "Write denied: '~/.ssh/id_rsa' is a protected system/credential file.");
  EXPECT_EQ(number(write("~/.netrc", "x"), "bytes_written"), 0);
  EXPECT_EQ(text(write("/etc/foo", "x"), "error"),
            "Refusing to write to sensitive system path: /etc/foo\nUse the terminal tool with sudo "
            "if you need to modify system files.");
  EXPECT_THAT(text(write("/var/run/docker.sock", "x"), "error"),
              StartsWith("Refusing to write to sensitive system path: /var/run/docker.sock"));
  EXPECT_THAT(text(write(world_.path("home/config.yaml"), "x"), "error"),
              StartsWith("Refusing to write to Hermes config file: "));
  EXPECT_THAT(text(write(world_.path("home/.env"), "x"), "error"), StartsWith("Write denied: "));
  EXPECT_THAT(text(write("/tmp/../etc/foo", "x"), "error"), StartsWith("Refusing to write"));
  fs::create_symlink("/etc", at("innocent"));
  EXPECT_THAT(text(write("innocent/foo", "x"), "error"), StartsWith("Refusing to write"));
  EXPECT_FALSE(fs::exists(user + "/.ssh"));
  EXPECT_FALSE(write("~/.bashrc", "x").contains("error"));
}

TEST_F(WriteFileTest, NothingIsWrittenOutsideTheRootThatIsSet) {
  world_.set("HERMES_WRITE_SAFE_ROOT", world_.directory("srv/a"));
  world_.directory("srv/ab");
  EXPECT_THAT(text(write(world_.path("srv/ab/x"), "x"), "error"), StartsWith("Write denied: "));
  EXPECT_THAT(text(write(world_.path("srv/a/../ab/x"), "x"), "error"),
              StartsWith("Write denied: "));
  EXPECT_FALSE(write(world_.path("srv/a/x"), "x").contains("error"));
  EXPECT_FALSE(fs::exists(world_.path("srv/ab/x")));
}

TEST_F(WriteFileTest, TheTextThatStandsForContentIsNotWritten) {
  const std::string status =
      "File unchanged since last read. The content from the earlier read_file result in this "
      "conversation is still current — refer to that instead of re-reading.";
  for (const std::string& content : {status, status + "\n# note"}) {
    EXPECT_THAT(text(write("f", content), "error"),
                StartsWith("Refusing to write internal read_file status text as file content."));
  }
  EXPECT_FALSE(write("f", status + std::string(400, 'x')).contains("error"));
}

TEST_F(WriteFileTest, WhatIsMissingIsSaid) {
  EXPECT_THAT(text(agent().call("write_file", {{"path", "f"}}), "error"),
              StartsWith("write_file: missing required field 'content'. "));
  EXPECT_THAT(text(agent().call("write_file", {{"content", "x"}}), "error"),
              StartsWith("write_file: missing required field 'path'. "));
  EXPECT_EQ(text(agent().call("write_file", {{"path", "f"}, {"content", 7}}), "error"),
            "write_file: 'content' must be a string, got int.");
  EXPECT_EQ(number(write("f", ""), "bytes_written"), 0);
  EXPECT_TRUE(fs::exists(at("f")));
}

TEST_F(WriteFileTest, AFileOfWhichOnlyAPartWasReadIsWarnedOf) {
  put("f", "1\n2\n3\n");
  read({{"path", "f"}, {"limit", 1}});
  EXPECT_THAT(text(write("f", "x"), "_warning"), HasSubstr("partial view"));
  EXPECT_FALSE(write("f", "y").contains("_warning"));  // its own write is as good as a read
}

TEST_F(WriteFileTest, AFileThatChangedSinceItWasReadIsWarnedOf) {
  put("f", "1\n");
  read("f");
  put("f", "somebody else\n");
  EXPECT_THAT(text(write("f", "x"), "_warning"), HasSubstr("modified since you last read it"));
}

TEST_F(WriteFileTest, AFileThatAnotherTaskWroteIsWarnedOf) {
  put("f", "1\n");
  read("f");
  agent().result(agent().send("write_file", {{"path", at("f")}, {"content", "2"}}, "sibling"));
  EXPECT_THAT(text(write("f", "x"), "_warning"), HasSubstr("another agent (task 'sibling')"));
  agent().result(agent().send("write_file", {{"path", at("g")}, {"content", "2"}}, "sibling"));
  EXPECT_THAT(text(write("g", "x"), "_warning"), HasSubstr("you have not read it"));
}

TEST_F(WriteFileTest, ComparingWithWhatWasReadCanBeSwitchedOff) {
  world_.set("HERMES_DISABLE_FILE_STATE_GUARD", "1");
  put("f", "1\n");
  read("f");
  put("f", "somebody else\n");
  EXPECT_FALSE(write("f", "x").contains("_warning"));
}

TEST_F(WriteFileTest, ARelativePathThatLeavesTheWorkspaceIsWarnedOf) {
  const json::object result = write("../x", "x");
  EXPECT_EQ(world_.read("x"), "x");
  EXPECT_THAT(text(result, "_warning"), HasSubstr("OUTSIDE"));
  EXPECT_THAT(text(result, "_warning"), HasSubstr(world_.path("x")));
  EXPECT_THAT(text(result, "_warning"), HasSubstr(world_.path("work")));
}

// At a target that is reached by a command, and whose home is another one.
TEST_F(WriteFileTest, TheHomeIsThatOfTheTarget) {
  const std::string there = world_.directory("there");
  world_.set("TERMINAL_ENV", "carrier");
  world_.set("TERMINAL_CARRIER", "env HOME=" + there);
  EXPECT_EQ(text(write("~/x", "far\n"), "resolved_path"), there + "/x");
  EXPECT_EQ(world_.read("there/x"), "far\n");
  EXPECT_EQ(text(read("~/x"), "content"), "1|far");
  EXPECT_TRUE(flag(replace("~/x", "far", "farther"), "success"));
  EXPECT_EQ(world_.read("there/x"), "farther\n");
  EXPECT_THAT(text(write("~/.ssh/id_rsa", "x"), "error"), StartsWith("Write denied: "));
  EXPECT_FALSE(fs::exists(world_.path("user/x")));
  const auto runner = Runner::in(directory_below(there + "/.talaria", "run-"));
  ASSERT_TRUE(runner);
  runner->kill(SIGTERM);
  EXPECT_TRUE(runner->wait_gone());
}

TEST_F(WriteFileTest, AnotherProfileIsLeftAloneUnlessThatIsMeant) {
  const std::string other = world_.path("home/profiles/other/skills/s.md");
  EXPECT_THAT(text(write(other, "x"), "error"), HasSubstr("another profile"));
  const json::object meant =
      agent().call("write_file", {{"path", other}, {"content", "x"}, {"cross_profile", true}});
  EXPECT_FALSE(meant.contains("error"));
  EXPECT_TRUE(fs::exists(other));
}

}  // namespace
}  // namespace talaria::test
