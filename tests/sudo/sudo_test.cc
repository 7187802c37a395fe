// A real sudo gets its password, and nobody else sees it.
#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>

#include "sudo/sudo_user.h"
#include "support/canary.h"

namespace talaria::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class SudoProgramTest : public SudoUserTest {};

TEST_F(SudoProgramTest, EverySudoOfACommandWorks) {
  const struct {
    const char* command;
    const char* expected;
  } cases[] = {
      {"id -un; sudo id -un", "pat\nroot\n"},
      {"echo x | sudo tee f; stat -c %U f", "x\nroot\n"},
      {"sudo id -un; sudo id -u", "root\n0\n"},
      {"for i in 1 2 3; do sudo echo $i; done", "1\n2\n3\n"},
      {"if sudo true; then sudo echo yes; fi", "yes\n"},
      {"! sudo false && echo $?", "0\n"},
      {"{ sudo id -un; }; (sudo id -un)", "root\nroot\n"},
      {"echo \"$(sudo id -un)\" `sudo id -u`", "root 0\n"},
      {"case y in y) sudo id -un;; esac", "root\n"},
      {"env A=1 sudo id -un; nohup sudo id -un", "root\nroot\n"},
      {"seq 3 | sudo cat | sudo wc -l", "3\n"},
      {"sudo cat <<E\nsudo $(sudo id -un)\nE\n", "sudo root\n"},
      {"sudo -u root -- id -un", "root\n"},
      {"f() { sudo id -un; }; f", "root\n"},
      {"exec sudo id -un", "root\n"},
      {"sudo sh -c 'sudo id -un'", "root\n"},
      {"sudo true & wait; echo done", "done\n"},
  };
  for (const auto& c : cases) EXPECT_EQ(output(c.command), c.expected) << c.command;
}

// The trap wants the password in front of it; with askpass there is nothing but the input.
TEST_F(SudoProgramTest, S06StandardInputIsTheCommandsOwn) {
  world_.set("SUDO_PASSWORD", kPassword);
  EXPECT_EQ(world_.run({"exec", "--stdin", "sudo cat"}, "abc").out, "abc");
  EXPECT_EQ(world_.run({"exec", "--stdin", "sudo true; cat"}, "abc").out, "abc");
}

TEST_F(SudoProgramTest, S07AFileMadeByAHereDocumentIsWhatWasWritten) {
  EXPECT_EQ(output("cat >f <<E\nsudo x\n  sudo -S y\nE\nsudo cat f"), "sudo x\n  sudo -S y\n");
}

TEST_F(SudoProgramTest, ItIsThereForTheCommandsThatNeedIt) {
  world_.set("SUDO_PASSWORD", kPassword);
  LinesClient agent(world_);
  EXPECT_EQ(output_of(agent.run("sudo id -un")), "root");
  const char* const look = "echo ${SUDO_ASKPASS-none} ${TALARIA_ASKPASS-none}";
  EXPECT_EQ(output_of(agent.run(look)), "none none");
  EXPECT_EQ(output_of(agent.run("export A=1; sudo id -un")), "root");
  EXPECT_EQ(output_of(agent.run("echo $A")), "1");
  EXPECT_EQ(agent.end(), 0);
}

TEST_F(SudoProgramTest, AWrongPasswordIsTriedOnceAndTold) {
  world_.set("SUDO_PASSWORD", "wrong one");
  LinesClient agent(world_);
  const json::object result = agent.run("sudo id -un; echo after");
  EXPECT_THAT(output_of(result), HasSubstr("1 incorrect password attempt"));
  EXPECT_THAT(output_of(result), testing::EndsWith("after"));
  EXPECT_THAT(notices_of(result), HasSubstr("sudo did not accept the password"));
  EXPECT_EQ(agent.end(), 0);
}

TEST_F(SudoProgramTest, AnEmptyPasswordIsOne) {
  world_.set("SUDO_PASSWORD", "");
  EXPECT_THAT(world_.exec("sudo id -un").out, Not(HasSubstr("root")));
}

TEST_F(SudoProgramTest, WithoutOneSudoSaysSoItself) {
  const Finished done = world_.exec("sudo id -un");
  EXPECT_EQ(done.code(), 1);
  EXPECT_THAT(done.out + done.err, HasSubstr("a terminal is required to read the password"));
}

TEST_F(SudoProgramTest, PeopleInAChatAreToldHowToSetIt) {
  world_.set("HERMES_GATEWAY_SESSION", "1");
  LinesClient agent(world_);
  EXPECT_THAT(output_of(agent.run("sudo id -un")),
              HasSubstr("\n\n💡 Tip: To enable sudo over messaging, add SUDO_PASSWORD to " +
                        world_.path("home") + "/.env on the agent machine."));
  EXPECT_EQ(agent.end(), 0);
}

TEST_F(SudoProgramTest, S02WhoNeedsNoPasswordGetsNone) {
  make_user(kPassword, "pat ALL=(ALL) NOPASSWD: ALL");
  world_.set("HERMES_INTERACTIVE", "1");
  EXPECT_EQ(world_.exec("sudo id -un; echo ${SUDO_ASKPASS-none}").out, "root\nnone\n");
}

// With NOPASSWD the -S form hands the password to the command.
TEST_F(SudoProgramTest, S05ASudoThatDoesNotAskPrintsNothingOfIt) {
  make_user(kPassword, "pat ALL=(ALL) NOPASSWD: ALL");
  world_.set("SUDO_PASSWORD", kPassword);
  EXPECT_EQ(world_.run({"exec", "--stdin", "sudo cat"}, "abc").out, "abc");
  EXPECT_EQ(world_.exec("sudo cat").out, "");
}

TEST_F(SudoProgramTest, S05ThePasswordIsNowhere) {
  Canaries canaries;
  const std::string password = canaries.plant("the password");
  make_user(password);
  world_.set("SUDO_PASSWORD", password);
  {
    LinesClient agent(world_);
    const auto look = [&](const std::string& command) {
      const json::object result = agent.run(command);
      canaries.look_at(json::serialize(result), "the answer to " + command);
      return output_of(result);
    };
    EXPECT_EQ(look("sudo sh -c 'sleep 0.3; id -un'"), "root");
    look("env; set; sudo cat; sudo env");
    look(
        "sudo true; p=$$; while [ $p -gt 1 ]; do tr '\\0' '\\n' </proc/$p/environ; "
        "read -r a b c p d </proc/$p/stat; done 2>/dev/null");
    look("for p in /proc/[0-9]*; do tr '\\0' '\\n' <$p/environ; done 2>/dev/null");
    look("sudo head -c 5M /dev/urandom | base64");
    canaries.look_at_environments_of("talaria-runner");
    canaries.look_at_environments_of("talaria");
    EXPECT_EQ(agent.end(), 0);
  }
  canaries.look_below(world_.path("home"));
  canaries.look_below(world_.path("work"));
  canaries.end();
  EXPECT_THAT(canaries.findings(), IsEmpty());
}

TEST_F(SudoProgramTest, TheOutputHasAsterisksInItsPlace) {
  const std::string text = kPassword;
  EXPECT_EQ(output("sudo true; echo 'a " + text + " b'; printf 'corr'"), "a *** b\ncorr");
}

TEST_F(SudoProgramTest, WhatIsShownIsTheCommandThatWasGiven) {
  world_.set("SUDO_PASSWORD", kPassword);
  LinesClient agent(world_);
  const int id = agent.send(
      "terminal", {{"command", "sudo sleep 30"}, {"timeout", 1}, {"on_timeout", "background"}});
  const std::string process(agent.result(id).at("session_id").as_string());
  const std::string list = json::serialize(agent.process({{"action", "list"}}));
  EXPECT_THAT(list, HasSubstr(R"("command":"sudo sleep 30")"));
  EXPECT_THAT(list, Not(HasSubstr("sudo -A")));
  agent.process({{"action", "kill"}, {"session_id", process}});
  EXPECT_EQ(agent.end(), 0);
}

TEST_F(SudoProgramTest, InTheBackgroundThereIsNoPassword) {
  world_.set("SUDO_PASSWORD", kPassword);
  LinesClient agent(world_);
  const std::string process =
      agent.start_process("echo ${SUDO_ASKPASS-none}; sudo id -un; sudo -A id -un");
  const json::object ended = agent.process({{"action", "wait"}, {"session_id", process}});
  EXPECT_THAT(output_of(ended), HasSubstr("none"));
  EXPECT_THAT(output_of(ended), HasSubstr("a terminal is required"));
  EXPECT_THAT(output_of(ended), Not(HasSubstr("root")));
  EXPECT_EQ(agent.end(), 0);
}

TEST_F(SudoProgramTest, WhatGoesOnInTheBackgroundLosesIt) {
  world_.set("SUDO_PASSWORD", kPassword);
  LinesClient agent(world_);
  const int id = agent.send("terminal", {{"command",
                                          "sudo id -un; until [ -e go ]; do sleep 0.1; done; "
                                          "sudo id -un; echo over"},
                                         {"timeout", 2},
                                         {"on_timeout", "background"}});
  const json::object handed_over = agent.result(id);
  EXPECT_THAT(output_of(handed_over), HasSubstr("root"));
  const std::string process(handed_over.at("session_id").as_string());
  const std::ofstream go(world_.path("work/go"));
  agent.process({{"action", "wait"}, {"session_id", process}});
  const std::string all =
      json::serialize(agent.process({{"action", "log"}, {"session_id", process}}));
  EXPECT_THAT(all, HasSubstr("there is no password for this"));
  EXPECT_EQ(all.find("root"), all.rfind("root")) << all;
  EXPECT_EQ(agent.end(), 0);
}

// There sudo asks on the terminal, as it would anywhere.
TEST_F(SudoProgramTest, OnATerminalItIsTyped) {
  world_.set("SUDO_PASSWORD", kPassword);
  LinesClient agent(world_);
  const std::string process = agent.start_process("sudo id -un", {{"pty", true}});
  ASSERT_TRUE(eventually([&] {
    const json::object log = agent.process({{"action", "log"}, {"session_id", process}});
    return json::serialize(log).contains("password for pat");
  }));
  agent.process({{"action", "submit"}, {"session_id", process}, {"data", kPassword}});
  const json::object ended = agent.process({{"action", "wait"}, {"session_id", process}});
  EXPECT_THAT(output_of(ended), HasSubstr("root"));
  EXPECT_EQ(agent.end(), 0);
}

// Where no runner can be the password stands on standard input, before what was given.
TEST_F(SudoProgramTest, S06WithoutARunnerItComesFirst) {
  world_.set("TERMINAL_ENV", "carrier");
  world_.set("TERMINAL_CARRIER", "env");
  world_.set("TERMINAL_CARRIER_MODE", "plain");
  world_.set("SUDO_PASSWORD", kPassword);
  const Finished done = world_.run({"exec", "--json", "--stdin", "sudo cat"}, "abc");
  EXPECT_THAT(done.out, HasSubstr(R"("output":"abc")"));
  EXPECT_THAT(done.out, HasSubstr(R"("transport":"plain")"));
  world_.set("SUDO_PASSWORD", "wrong one");
  EXPECT_THAT(world_.run({"exec", "--json", "sudo id"}).out,
              HasSubstr("sudo did not accept the password"));
  make_user(kPassword, "pat ALL=(ALL) NOPASSWD: ALL");
  world_.set("SUDO_PASSWORD", kPassword);
  EXPECT_EQ(world_.exec("sudo cat").out, "***\n");
}

TEST_F(SudoProgramTest, SocketAndProgramComeBackIfTheyAreRemoved) {
  world_.set("SUDO_PASSWORD", kPassword);
  LinesClient agent(world_);
  EXPECT_EQ(output_of(agent.run("sudo id -un")), "root");
  for (const char* name : {"askpass", "askpass.sock"}) {
    agent.run("rm " + world_.runner_directory() + "/" + name);
    EXPECT_EQ(output_of(agent.run("sudo id -un")), "root") << name;
  }
  EXPECT_EQ(agent.end(), 0);
}

}  // namespace
}  // namespace talaria::test
