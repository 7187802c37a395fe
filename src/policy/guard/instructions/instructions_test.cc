#include "policy/guard/instructions/instructions.h"

#include <gtest/gtest.h>

namespace talaria::guard {
namespace {

SeenCommand command_of(const std::vector<std::string>& words) {
  SeenCommand command;
  for (const std::string& word : words) command.words.push_back({word});
  command.program = words.front();
  return command;
}

// What it makes the command run, a line each; "?" where that is not known.
std::string runs(Language language, std::string_view text, const std::vector<std::string>& words) {
  const Instructions found = read_instructions(language, text, command_of(words));
  std::string all = found.unknown ? "?\n" : "";
  for (const InnerCommand& one : found.commands) {
    if (one.is_text) all += with_unknown_as("?", one.text.text);
    for (const SeenWord& word : one.words) all += with_unknown_as("?", word.text) + " ";
    while (all.ends_with(' ') || all.ends_with('\n')) all.pop_back();
    all += "\n";
  }
  return all;
}

TEST(InstructionsTest, ReadsTheScriptsThatAreAskedFor) {
  const std::string_view package =
      R"({"scripts":{"test":"a","pretest":"b","clean":"c","postinstall":"d"}})";
  EXPECT_EQ(runs(Language::package, package, {"npm", "test"}), "a\nb\n");
  EXPECT_EQ(runs(Language::package, package, {"npm", "run", "clean"}), "c\n");
  EXPECT_EQ(runs(Language::package, package, {"npm", "install"}), "d\n");
  EXPECT_EQ(runs(Language::package, package, {"yarn"}), "d\n");
  EXPECT_EQ(runs(Language::package, package, {"npm", "view", "x"}), "");
  EXPECT_EQ(runs(Language::package, "no JSON", {"npm", "test"}), "?\n");
}

TEST(InstructionsTest, KnowsVolumesThatAreTheMachine) {
  for (const char* line : {"volumes: [\"/:/host\"]", "  - /:/host", "- ~:/h", "- '/etc:/etc'",
                           "- /home/me:/h", "- $HOME:/h", "- /var/run/docker.sock:/s"}) {
    EXPECT_TRUE(runs(Language::lines, line, {"docker", "compose"}).starts_with("?")) << line;
  }
  for (const char* line : {"- ./data:/data", "- db:/var/lib/db", "image: http://x/y",
                           "- /home/me/app:/app", "- ~/.cache/pip:/cache"}) {
    EXPECT_FALSE(runs(Language::lines, line, {"docker", "compose"}).starts_with("?")) << line;
  }
}

TEST(InstructionsTest, FindsCommandsOnTheLinesOfOtherFiles) {
  const struct {
    const char* program;
    const char* text;
    const char* command;
  } cases[] = {
      {"crontab", "# c\n* * * * * a b\n", "a b"},
      {"crontab", "@daily a b\n", "a b"},
      {"ssh", "Host x\n  ProxyCommand a b\n  User me\n", "a b"},
      {"systemctl", "[Service]\nExecStart=-/bin/a b\nUser=x\n", "/bin/a b"},
      {"ansible-playbook", "- hosts: x\n  tasks:\n  - name: y\n    shell: a b\n", "a b"},
      {"task", "run: |\n  a b\n  c\nname: x\n", "a b"},
      {"git", "[alias]\n\tx = !a\n", "git -c alias.x=!a status"},
      {"cmake", "execute_process(COMMAND a b)\n", "a b"},
      {"foreman", "web: a b\n", "a b"},
      {"tclsh", "puts [exec a b]\n", "a b"},
  };
  for (const auto& c : cases) {
    const std::string all = "\n" + runs(Language::lines, c.text, {c.program, "x"});
    EXPECT_TRUE(all.contains("\n" + std::string(c.command) + "\n")) << c.text << all;
  }
}

TEST(InstructionsTest, KnowsTheInterpreterOfAScript) {
  EXPECT_EQ(script_interpreter("#!/usr/bin/env python3\n").program, "python3");
  EXPECT_EQ(script_interpreter("#!/usr/bin/perl -w\n").language, Language::program);
  EXPECT_EQ(script_interpreter("#!/bin/sh\n").language, Language::shell);
  EXPECT_EQ(script_interpreter("#!/usr/bin/env -S bash -e\n").language, Language::shell);
  EXPECT_EQ(script_interpreter("echo hi\n").language, Language::shell);
}

TEST(MakefileTest, RunsWhatTheGoalsNeed) {
  constexpr std::string_view kText =
      "CC = cc\nall: app\napp: x.o\n\t$(CC) -o app\n%.o:\n\tcompile $<\nclean:\n\trm -rf build\n";
  const std::string first = makefile_script(kText, {}, false);
  EXPECT_TRUE(first.contains("( ${CC} -o app\n)"));
  EXPECT_TRUE(first.contains("compile"));
  EXPECT_FALSE(first.contains("rm -rf build"));
  EXPECT_TRUE(makefile_script(kText, {"clean"}, false).contains("( rm -rf build\n)"));
  EXPECT_TRUE(makefile_script("x := $(shell a b)\ny:\n", {}, false).contains("x=\"$(a b\n)\""));
  EXPECT_TRUE(makefile_script("y:\n\t@echo $$HOME\n", {}, false).contains("( echo $HOME\n)"));
  EXPECT_TRUE(makefile_script("y: ; a\n", {"Z=b"}, false).contains("Z=\"b\"\n"));
  EXPECT_TRUE(makefile_script("y:\n  a b\n", {}, true).contains("( a b\n)"));
}

}  // namespace
}  // namespace talaria::guard
