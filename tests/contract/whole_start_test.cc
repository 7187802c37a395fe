// A command is judged by all that it starts with: its text, directory, input and variables, as the
// session has them. Every home here is a directory of the test.
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/talaria_test.h"

namespace talaria::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class WholeStartTest : public TalariaTest {
 protected:
  WholeStartTest() {
    world_.set("TALARIA_APPROVALS_HEADLESS", "deny");
    world_.set("HOME", world_.directory("person"));
    world_.directory("person/.ssh");
    std::ofstream(world_.path("person/letter")) << "dear\n";
  }

  bool home_is_whole() const { return fs::exists(world_.path("person/letter")); }

  // Refused whatever anybody allows.
  void is_never_allowed(const json::object& result) {
    EXPECT_THAT(error_of(result), HasSubstr("BLOCKED (hardline)"));
    EXPECT_TRUE(home_is_whole());
  }
};

// `cd ~`, and in the next call `rm -rf *`, emptied the home although `rm -rf ~/*` was refused.
TEST_F(WholeStartTest, TheDirectoryOfTheSessionCounts) {
  world_.set("HERMES_YOLO_MODE", "1");
  for (const char* text : {"rm -rf *", "rm -rf ./*", "rm -rf .", "rm -rf ../person"}) {
    LinesClient agent(world_);
    EXPECT_EQ(code_of(agent.run("cd ~")), 0);
    is_never_allowed(agent.run(text));
    is_never_allowed(agent.start(text));
  }
  LinesClient next(world_);  // which has not seen the `cd`
  is_never_allowed(next.run("rm -rf *"));
  EXPECT_EQ(world_.run({"exec", "--task", "t", "rm -rf *"}).code(), 126);
  EXPECT_TRUE(home_is_whole());
}

// What is private is so by its place, whatever a session calls its home.
TEST_F(WholeStartTest, AnotherHomeMakesNothingFree) {
  std::ofstream(world_.path("person/.ssh/id_rsa")) << "key\n";
  for (const char* first : {"export HOME=~/.ssh; cd", "export HOME=/nonexistent; cd ~/.ssh",
                            "cd ~/.ssh; export HOME=/"}) {
    LinesClient agent(world_);
    agent.run(std::string(first) + "; true");
    agent.run("cd " + world_.path("person/.ssh"));
    EXPECT_THAT(error_of(agent.run("cat id_rsa")), HasSubstr("BLOCKED")) << first;
  }
  LinesClient agent(world_);
  for (const char* value : {"~/.ssh/id_rsa", "../person/.ssh/id_rsa"}) {
    agent.run("cd " + world_.directory("work") + "; export F_TOKEN=" + value);
    EXPECT_THAT(error_of(agent.run("cat \"$F_TOKEN\"")), HasSubstr("BLOCKED")) << value;
  }
  agent.run("cd ~/.ssh; cd " + world_.path("work"));
  EXPECT_THAT(error_of(agent.run("cat ~-/id_rsa")), HasSubstr("BLOCKED"));
}

TEST_F(WholeStartTest, SoDoesTheDirectoryOfTheCall) {
  world_.set("HERMES_YOLO_MODE", "1");
  LinesClient agent(world_);
  EXPECT_EQ(code_of(agent.run("cd /tmp")), 0);
  is_never_allowed(agent.run({.command = "rm -rf *", .workdir = "~"}));
  is_never_allowed(agent.run({.command = "rm -rf *", .workdir = world_.path("person")}));
  is_never_allowed(agent.run({.command = "rm -rf *", .workdir = world_.path("person/.ssh/..")}));
}

TEST_F(WholeStartTest, ALinkIsTheDirectoryItLeadsTo) {
  world_.set("HERMES_YOLO_MODE", "1");
  fs::create_directory_symlink(world_.path("person"), world_.path("link"));
  LinesClient agent(world_);
  EXPECT_EQ(code_of(agent.run("cd " + world_.path("link"))), 0);
  is_never_allowed(agent.run("rm -rf *"));
  is_never_allowed(agent.run({.command = "rm -rf *", .workdir = world_.path("link")}));
}

TEST_F(WholeStartTest, ARelativePathIsJudgedAsTheAbsoluteOne) {
  LinesClient agent(world_);
  EXPECT_EQ(code_of(agent.run("cd ~/.ssh")), 0);
  EXPECT_EQ(agent.run("echo key >> authorized_keys").at("status"), "blocked");
  EXPECT_FALSE(fs::exists(world_.path("person/.ssh/authorized_keys")));
  EXPECT_EQ(code_of(agent.run("cd /tmp; echo fine > /dev/null")), 0);
}

TEST_F(WholeStartTest, VariablesOfTheSessionHaveTheirValues) {
  world_.set("HERMES_YOLO_MODE", "1");
  LinesClient agent(world_);
  EXPECT_EQ(code_of(agent.run("export PLACE=$HOME")), 0);
  is_never_allowed(agent.run("rm -rf \"$PLACE\"/*"));
  EXPECT_EQ(code_of(agent.run("export PLACE=" + world_.directory("scratch"))), 0);
  std::ofstream(world_.path("scratch/x")) << "x";
  EXPECT_EQ(code_of(agent.run("rm -rf \"$PLACE\"/*")), 0);
  EXPECT_FALSE(fs::exists(world_.path("scratch/x")));
}

TEST_F(WholeStartTest, TextThatAShellReadsFromItsInputCounts) {
  world_.set("HERMES_YOLO_MODE", "1");
  for (const char* reader : {"bash", "sh -s", ". /dev/stdin", "cat | bash", "env bash -"}) {
    const Finished ended = world_.run({"exec", "--stdin", reader}, "rm -rf ~/*\n");
    EXPECT_EQ(ended.code(), 126) << reader << ": " << ended.err;
    EXPECT_TRUE(home_is_whole()) << reader;
  }
  EXPECT_EQ(trim_end(world_.run({"exec", "--stdin", "bash"}, "echo fine\n").out), "fine");
}

// What is written to it later cannot be judged when it starts.
TEST_F(WholeStartTest, AShellWithAFreeInputIsAskedAbout) {
  LinesClient agent(world_);
  for (const json::object& how : {json::object{{"stdin", true}}, json::object{{"pty", true}}}) {
    const json::object refused = agent.start("sh", how);
    EXPECT_EQ(refused.at("status"), "blocked");
    EXPECT_THAT(error_of(refused), HasSubstr("input"));
  }
  EXPECT_EQ(agent.start("vim x", {{"pty", true}}).at("status"), "blocked");
  EXPECT_EQ(agent.start("python3 -m asyncio", {{"stdin", true}}).at("status"), "blocked");
  EXPECT_NE(agent.start_process("cat", {{"stdin", true}}), "");
}

TEST_F(WholeStartTest, WhatIsNeverAllowedIsNotTypedEither) {
  world_.set("HERMES_YOLO_MODE", "1");
  LinesClient agent(world_);
  const std::string shell = agent.start_process("sh", {{"stdin", true}});
  const auto type = [&](const char* text) {
    return agent.process({{"action", "submit"}, {"session_id", shell}, {"data", text}});
  };
  EXPECT_EQ(type("echo fine").at("status"), "ok");
  EXPECT_THAT(error_of(type("rm -rf ~/*")), HasSubstr("BLOCKED (hardline)"));
  // In two pieces.
  EXPECT_EQ(
      agent.process({{"action", "write"}, {"session_id", shell}, {"data", "rm -rf "}}).at("status"),
      "ok");
  EXPECT_THAT(error_of(type("~/*")), HasSubstr("BLOCKED (hardline)"));
  agent.process({{"action", "kill"}, {"session_id", shell}});
  EXPECT_TRUE(home_is_whole());
}

// Pieces that came from several programs were not joined, and only a shell was looked at.
TEST_F(WholeStartTest, SoItIsInPiecesFromSeveralProgramsAndToAnyProgram) {
  world_.set("HERMES_YOLO_MODE", "1");
  LinesClient agent(world_);
  const auto type = [&](const std::string& process, const std::string& text) {
    return world_
        .run({"call", "process",
              R"({"action":"write","session_id":")" + process + R"(","data":")" + text + R"("})"})
        .out;
  };
  const std::string shell = agent.start_process("sh", {{"stdin", true}});
  EXPECT_THAT(type(shell, "rm -r"), HasSubstr("ok"));
  EXPECT_THAT(type(shell, "f \\\\\\n"), HasSubstr("ok"));
  EXPECT_THAT(type(shell, "~/*"), HasSubstr("BLOCKED (hardline)"));
  agent.process({{"action", "kill"}, {"session_id", shell}});

  const std::string other = agent.start_process("cat", {{"pty", true}});
  for (const char* text :
       {"rm -rf ~/*\\n", ":!rm -rf ~/*\\n", "\\\\! rm -rf ~\\n", "os.system('rm -rf ~/*')\\n",
        ".shell rm -rf ~\\n", "rm -rf ~/x\\u007f*\\r"}) {
    EXPECT_THAT(type(other, text), HasSubstr("BLOCKED (hardline)")) << text;
  }
  EXPECT_THAT(type(other, "hello\\n"), HasSubstr("ok"));
  agent.process({{"action", "kill"}, {"session_id", other}});
  EXPECT_TRUE(home_is_whole());
}

}  // namespace
}  // namespace talaria::test
