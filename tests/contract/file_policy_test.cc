// The file tools change and show no file that a command could not: they are judged like
// `cat > FILE`, `rm FILE`, `mv FILE OTHER` and `cat FILE` in the terminal.
#include <filesystem>
#include <fstream>
#include <string>

#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/file_tool_test.h"

namespace talaria::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class FilePolicyTest : public FileToolTest {
 protected:
  FilePolicyTest() {
    world_.set("TALARIA_APPROVALS_HEADLESS", "deny");
    home_ = world_.directory("user");
  }

  std::string home(const std::string& name) const { return home_ + "/" + name; }
  bool is_blocked(const json::object& result) const {
    return text(result, "error").starts_with("BLOCKED: ");
  }
  static std::string added(const std::string& path) {
    return "*** Begin Patch\n*** Add File: " + path + "\n+x\n*** End Patch";
  }

  std::string home_;
};

TEST_F(FilePolicyTest, AFileOfTheShellIsAskedAboutByEveryNameItHas) {
  agent();
  fs::create_symlink(home_, at("there"));
  fs::create_symlink(home(".bashrc"), at("innocent.txt"));
  for (const std::string& path : {std::string("~/.bashrc"), home(".bashrc"),
                                  home_ + "/x/../.bashrc", std::string("../user/.bashrc"),
                                  std::string("there/.bashrc"), std::string("innocent.txt")}) {
    EXPECT_TRUE(is_blocked(write(path, "x"))) << path;
    EXPECT_TRUE(apply(added(path)).contains("error")) << path;
  }
  agent().run("cd " + home_);
  EXPECT_TRUE(is_blocked(write(".bashrc", "x")));
  EXPECT_TRUE(is_blocked(write("./.profile", "x")));
  EXPECT_FALSE(fs::exists(home(".bashrc")));
  EXPECT_FALSE(fs::exists(home(".profile")));
}

TEST_F(FilePolicyTest, AKeyIsAskedAboutBeforeItIsShown) {
  fs::create_directories(home(".ssh"));
  std::ofstream(home(".ssh/id_rsa")) << "BEGIN x\n";
  std::ofstream(home(".pgpass")) << "h:5432:db:me:pass\n";
  agent();
  fs::create_symlink(home(".ssh/id_rsa"), at("innocent.txt"));
  for (const std::string& path : {std::string("~/.ssh/id_rsa"), home(".ssh/id_rsa"),
                                  std::string("innocent.txt"), home(".pgpass")}) {
    EXPECT_TRUE(is_blocked(read(path))) << path;
  }
  EXPECT_TRUE(is_blocked(search({{"pattern", "."}, {"path", home(".ssh")}})));
  EXPECT_TRUE(
      is_blocked(agent().process({{"action", "read"}, {"session_id", home(".ssh/id_rsa")}})));
  std::ofstream(at("a.txt")) << "x\n";
  EXPECT_FALSE(read("a.txt").contains("error"));
  EXPECT_FALSE(search({{"pattern", "x"}, {"path", "."}}).contains("error"));
}

TEST_F(FilePolicyTest, WhatASearchFindsIsJudgedLikeAFileThatIsRead) {
  std::ofstream(home(".pgpass")) << "h:5432:db:me:needle\n";
  std::ofstream(home("notes.txt")) << "needle\n";
  std::ofstream(world_.directory("home") + "/config.yaml")
      << "approvals: {rules: [{answer: deny, path: '*/private.txt'}]}\n";
  put("private.txt", "needle\n");
  const json::object named =
      search({{"pattern", "needle"}, {"path", home_}, {"file_glob", ".pg*"}});
  EXPECT_FALSE(named.contains("matches")) << json::serialize(named);
  EXPECT_THAT(json::serialize(named),
              HasSubstr("Not shown: 1 file that needs approval to be read"));
  const json::object all = search({{"pattern", "needle"}, {"path", world_.path("")}});
  EXPECT_THAT(json::serialize(all), AllOf(HasSubstr("notes.txt"), Not(HasSubstr("private.txt")),
                                          Not(HasSubstr("pgpass"))));
}

TEST_F(FilePolicyTest, AKeyOfSeveralLinesIsMaskedInASearch) {
  const std::string line(64, 'k');
  put("server.txt", "-----BEGIN PRIVATE KEY-----\n" + line + "\n-----END PRIVATE KEY-----\nend\n");
  const std::string found = json::serialize(search({{"pattern", "."}}));
  EXPECT_THAT(found, AllOf(Not(HasSubstr(line)), HasSubstr("end")));
}

TEST_F(FilePolicyTest, ThePartOfAFileIsLikeTheWhole) {
  std::ofstream(home(".bashrc")) << "a\n";
  EXPECT_TRUE(is_blocked(replace(home(".bashrc"), "a", "b")));
  EXPECT_TRUE(is_blocked(
      apply("*** Begin Patch\n*** Update File: " + home(".bashrc") + "\n-a\n+b\n*** End Patch")));
  EXPECT_EQ(world_.read("user/.bashrc"), "a\n");
}

// `cat > FILE` was asked about there, write_file was not.
TEST_F(FilePolicyTest, WhatIsRunLaterIsAskedAboutWhereverItIs) {
  agent().run("mkdir -p .git/hooks");
  for (const std::string& path :
       {std::string(".git/hooks/pre-commit"), home(".config/autostart/x.desktop"),
        home(".config/systemd/user/x.service"), home(".local/bin/git"),
        world_.path("home") + "/config.yaml", world_.path("home") + "/talaria/talaria.db"}) {
    EXPECT_TRUE(write(path, "x").contains("error")) << path;
    EXPECT_TRUE(apply(added(path)).contains("error")) << path;
  }
  EXPECT_FALSE(fs::exists(at(".git/hooks/pre-commit")));
  EXPECT_FALSE(fs::exists(home(".local/bin/git")));
}

TEST_F(FilePolicyTest, AFileOfTheProjectIsNobodysConcern) {
  EXPECT_FALSE(write("a.txt", "x\n").contains("error"));
  EXPECT_FALSE(write(at("src/b.txt"), "x\n").contains("error"));
  EXPECT_FALSE(replace("a.txt", "x", "y").contains("error"));
  EXPECT_FALSE(apply("*** Begin Patch\n*** Delete File: a.txt\n*** Move File: src/b.txt -> c.txt\n"
                     "*** End Patch")
                   .contains("error"));
  EXPECT_EQ(on_disk("c.txt"), "x\n");
  EXPECT_FALSE(fs::exists(at("a.txt")));
}

TEST_F(FilePolicyTest, DeletingAndMovingAreJudgedLikeRmAndMv) {
  std::ofstream(home("letter")) << "x\n";
  const std::string other = home("letter");
  EXPECT_TRUE(is_blocked(
      json::object{{"error", agent().call("terminal", {{"command", "rm " + other}}).at("error")}}));
  EXPECT_TRUE(is_blocked(apply("*** Begin Patch\n*** Delete File: " + other + "\n*** End Patch")));
  EXPECT_TRUE(fs::exists(other));
  put("mine", "x\n");
  EXPECT_TRUE(is_blocked(
      apply("*** Begin Patch\n*** Move File: mine -> " + home(".bashrc") + "\n*** End Patch")));
  EXPECT_EQ(on_disk("mine"), "x\n");
}

TEST_F(FilePolicyTest, ItCanBeApprovedAndIsWrittenDown) {
  world_.directory("home");
  std::ofstream(world_.path("home/config.yaml")) << "approvals: {queue: true, wait: false}\n";
  const json::object asked = write("~/.bashrc", "x");
  EXPECT_TRUE(asked.at("approval_pending").as_bool());
  EXPECT_THAT(text(asked, "error"), HasSubstr(text(asked, "approve_with")));
  EXPECT_THAT(world_.run({"approvals"}).out, HasSubstr("write_file '~/.bashrc'"));
  EXPECT_EQ(world_.run({"approve", text(asked, "approval_id")}).code(), 0);
  EXPECT_FALSE(write("~/.bashrc", "x").contains("error"));
  EXPECT_EQ(world_.read("user/.bashrc"), "x");
  EXPECT_TRUE(write("~/.bashrc", "y").contains("approval_pending")) << "once";
  EXPECT_THAT(world_.run({"audit", "--json"}).out, HasSubstr("write_file"));
}

TEST_F(FilePolicyTest, ItIsAllowedWhereSuchACommandIs) {
  world_.set("HERMES_YOLO_MODE", "1");
  EXPECT_FALSE(write("~/.bashrc", "x").contains("error"));
  EXPECT_EQ(world_.read("user/.bashrc"), "x");
}

}  // namespace
}  // namespace talaria::test
