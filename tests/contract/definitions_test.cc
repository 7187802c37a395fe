// What a session has defined is judged with the command that uses it, seen from outside. The option
// that rm does not know is there in case a command is not refused.
#include "shell/definitions.h"

#include <filesystem>
#include <fstream>

#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/talaria_test.h"
#include "support/terminal.h"
#include "support/wire.h"

namespace talaria::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kDeadly = "rm --no-such-option-of-rm -rf /";

class DefinitionsTest : public TalariaTest {
 protected:
  DefinitionsTest() {
    world_.set("TALARIA_APPROVALS_HEADLESS", "deny");
    world_.set("HOME", world_.directory("person"));
    world_.directory("work/precious");
  }

  Finished in(const std::string& task, const std::string& command) {
    return world_.run({"exec", "--task", task, command});
  }
  std::string said(const std::string& command) {
    const Finished ended = in("t", command);
    EXPECT_EQ(ended.code(), 0) << command << ": " << ended.err;
    return trim_end(ended.out);
  }
  void refused_for_good(const std::string& command) {
    const Finished ended = in("t", command);
    EXPECT_EQ(ended.code(), 126) << command;
    EXPECT_THAT(ended.err, HasSubstr("BLOCKED (hardline)")) << command;
  }
  std::string rm() const { return "rm -rf " + world_.path("work/precious"); }
  bool is_there() const { return fs::exists(world_.path("work/precious")); }
};

TEST_F(DefinitionsTest, AFunctionIsWhatItDoes) {
  said("f() { " + std::string(kDeadly) + "; }; g() { f; }; h() { \"$@\"; }");
  refused_for_good("f");
  refused_for_good("true; g");
  refused_for_good("h f");
  refused_for_good("eval f");
  EXPECT_EQ(world_.run({"call", "--task", "t", "terminal", R"({"command":"f","background":true})"})
                .code(),
            1);
  EXPECT_EQ(in("other", "f").code(), 127) << "another session has none";
}

TEST_F(DefinitionsTest, AnAliasIsWhatItStandsFor) {
  said("shopt -s expand_aliases; alias x='rm --no-such-option-of-rm'; alias s='sudo '");
  refused_for_good("x -rf /");
  EXPECT_EQ(in("t", "s x -rf /").code(), 126) << "sudo needs approval, whatever x is";
  said("unalias x");
  EXPECT_EQ(in("t", "x -rf /").code(), 127);
}

TEST_F(DefinitionsTest, HarmlessOnesJustWork) {
  said(
      "shopt -s expand_aliases; alias ll='ls -l'; greet() { echo hello \"$1\"; }; "
      "ls() { command ls \"$@\"; }");
  EXPECT_EQ(said("ll precious"), "total 0");
  EXPECT_EQ(said("greet you"), "hello you");
  EXPECT_EQ(said("ls"), "precious");
  LinesClient agent(world_);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(output_of(agent.run({.command = "greet " + std::to_string(i)})),
              "hello " + std::to_string(i));
  }
  EXPECT_EQ(agent.end(), 0);
}

TEST_F(DefinitionsTest, WithoutExpansionAnAliasIsNothing) {
  said("alias echo='" + std::string(kDeadly) + "'; shopt -u expand_aliases");
  EXPECT_EQ(said("echo fine"), "fine");
  refused_for_good("shopt -s expand_aliases; echo fine");
}

TEST_F(DefinitionsTest, WhatALoginFileDefinesCountsFromTheFirstCommand) {
  std::ofstream(world_.path("person/.bashrc"))
      << "deploy() { " << kDeadly << "; }\nhi() { echo hi; }\n";
  refused_for_good("deploy");
  EXPECT_EQ(said("hi"), "hi");
  refused_for_good("deploy");
}

TEST_F(DefinitionsTest, AnotherProgramChangesThemBetweenTwoCommands) {
  LinesClient agent(world_);
  agent.run({.command = "shopt -s expand_aliases; alias go='echo one'"});
  EXPECT_EQ(output_of(agent.run({.command = "go"})), "one");
  said("alias go='" + std::string(kDeadly) + " #'");
  EXPECT_EQ(agent.run({.command = "go"}).at("status"), "blocked");
  said("alias go='echo two'");
  const json::object again = agent.run({.command = "go"});
  EXPECT_EQ(output_of(again), "two") << "what was known is no reason: " << json::serialize(again);
  EXPECT_EQ(agent.end(), 0);
}

TEST_F(DefinitionsTest, AtTheTerminalOneQuestionIsAskedAndItRunsOnce) {
  said("clean() { echo ran >>count; " + rm() + "; }");
  EXPECT_EQ(in("t", "clean").code(), 126);
  EXPECT_TRUE(is_there());
  Program terminal(on_terminal(world_, World::talaria() + " exec --task t clean; echo code=$?"));
  ASSERT_TRUE(terminal.read_until_contains("Run it?")) << terminal.out();
  terminal.write("o\n");
  ASSERT_TRUE(terminal.wait());
  EXPECT_THAT(terminal.out(), HasSubstr("code=0"));
  EXPECT_FALSE(is_there());
  EXPECT_EQ(said("cat count"), "ran");
}

TEST_F(DefinitionsTest, ARefusedStartChangesNothingAndIsAnsweredTheSameAgain) {
  said("f() { echo x; }");
  Wire wire(world_.runner_directory());
  const auto start = [&](const std::string& id, const std::string& digest) {
    return link::Start{.start_id = id,
                       .sequence = wire.next_sequence(),
                       .session = "t",
                       .command = "f; cd /; touch " + world_.path("started"),
                       .words = {"cd", "f", "touch"},
                       .definitions = digest};
  };
  const link::Start first = start("one", "");
  for (int i = 0; i < 2; ++i) {
    const auto report = wire.ask<link::ExitReport>(first);
    ASSERT_TRUE(report.unjudged);
    ASSERT_EQ(report.unjudged->functions.size(), 1u);
    EXPECT_EQ(report.unjudged->functions[0].name, "f");
  }
  link::Start detached = start("two", "0123");
  detached.detached = true;
  EXPECT_TRUE(wire.ask<link::Started>(detached).unjudged);
  EXPECT_FALSE(fs::exists(world_.path("started")));
  EXPECT_NE(said("pwd"), "/");

  const auto report = wire.ask<link::ExitReport>(first);
  const link::Definition& f = report.unjudged->functions[0];
  const auto ran = wire.ask<link::ExitReport>(
      start("three", shell::digest_of_texts({.functions = {{f.name, f.text}}})));
  EXPECT_FALSE(ran.unjudged);
  EXPECT_EQ(ran.code, 0);
  EXPECT_TRUE(fs::exists(world_.path("started")));
}

}  // namespace
}  // namespace talaria::test
