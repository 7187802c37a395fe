// What commands can rely on at a gateway of which nothing is known but the protocol: its execs
// really run here, as any server would run them.
#include <filesystem>

#include "managed/managed_test.h"

namespace talaria::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class ManagedSession : public ManagedTest {
 protected:
  void SetUp() override {
    ManagedTest::SetUp();
    serve();
  }
};

TEST_F(ManagedSession, KeepsItsDirectoryAndWhatItExports) {
  LinesClient agent(world_);
  const std::string there = world_.directory("work/there");
  agent.run("cd there; export A='x  y'; f() { echo \"f $1\"; }");
  EXPECT_EQ(output_of(agent.run("pwd; echo \"$A\"; f 1")), there + "\nx  y\nf 1");
  const std::vector<json::object> started = asked("start");
  EXPECT_EQ(started.at(0).at("body").at("cwd").as_string(), world_.path("work"));
  EXPECT_EQ(started.at(1).at("body").at("cwd").as_string(), there);
}

TEST_F(ManagedSession, ADirectoryOfTheCallCounts) {
  LinesClient agent(world_);
  const std::string there = world_.directory("there");
  EXPECT_EQ(output_of(agent.run({.command = "pwd", .workdir = there})), there);
  EXPECT_EQ(asked("start").at(0).at("body").at("cwd").as_string(), there);
  EXPECT_EQ(output_of(agent.run("pwd")), world_.path("work"));
}

TEST_F(ManagedSession, ADirectoryThatIsGoneIsForgotten) {
  LinesClient agent(world_);
  agent.run("mkdir gone; cd gone; rmdir ../gone");
  agent.run("pwd");  // the gateway may refuse this one
  EXPECT_EQ(output_of(agent.run("pwd")), world_.path("work"));
}

TEST_F(ManagedSession, EndsAreTold) {
  LinesClient agent(world_);
  EXPECT_EQ(code_of(agent.run("exit 3")), 3);
  EXPECT_EQ(code_of(agent.run("kill -9 $$")), -9);
  EXPECT_EQ(code_of(agent.run("no-such-program")), 127);
  const json::object result = agent.run("echo out; echo err >&2; printf no-newline");
  EXPECT_EQ(output_of(result), "out\nerr\nno-newline");
  EXPECT_EQ(result.at("transport").as_string(), "plain");
  EXPECT_EQ(result.at("target").as_string(), "managed");
}

TEST_F(ManagedSession, TheFirstResultSaysWhatIsMissing) {
  LinesClient agent(world_);
  EXPECT_THAT(notices_of(agent.run("true")), HasSubstr("used without a runner"));
  EXPECT_EQ(notices_of(agent.run("true")), "");
  EXPECT_THAT(error_of(agent.start("sleep 1")), HasSubstr("no background processes"));
}

TEST_F(ManagedSession, InputIsInThePayloadWhateverItIs) {
  EXPECT_EQ(world_.run({"exec", "--stdin", "cat"}, "sudo is a word\n").out, "sudo is a word\n");
  const std::string bytes("a\0b\xff\n", 5);
  EXPECT_EQ(world_.run({"exec", "--stdin", "od -An -tx1 | tr -d ' \\n'"}, bytes).out, "610062ff0a");
  EXPECT_EQ(world_.run({"exec", "cat; echo none"}).out, "none\n");
}

TEST_F(ManagedSession, LongCommandsAndOddOnesArrive) {
  LinesClient agent(world_);
  const std::string filler(300'000, 'x');
  EXPECT_EQ(output_of(agent.run("echo " + filler + " | wc -c")), "300001");
  EXPECT_EQ(output_of(agent.run("echo 'it'\\''s' \"$((1+1))\"\necho second")), "it's 2\nsecond");
}

TEST_F(ManagedSession, TheCommandCanBeReadInWhatTheGatewayIsTold) {
  run("echo seen-by-the-operator");
  EXPECT_THAT(std::string(asked("start").at(0).at("body").at("command").as_string()),
              testing::StartsWith("text='echo seen-by-the-operator'\n"));
}

// A gateway that says that its sandboxes are not isolated judges each command by its text.
class ManagedJudged : public ManagedTest {
 protected:
  void SetUp() override {
    ManagedTest::SetUp();
    serve({{"create", {{{"status", 201}, {"json", {{"id", "sb-1"}, {"isolated", false}}}}}}});
  }
  std::string told(std::size_t which) {
    return std::string(asked("start").at(which).at("body").at("command").as_string());
  }
};

TEST_F(ManagedJudged, SessionsAreKept) {
  LinesClient agent(world_);
  const std::string there = world_.directory("work/th ere");
  agent.run("cd 'th ere'; export A='x  y'; f() { echo \"f $1\"; }");
  EXPECT_EQ(output_of(agent.run("pwd; echo \"$A\"; f 1")), there + "\nx  y\nf 1");
  EXPECT_EQ(output_of(agent.run({.command = "pwd", .workdir = "/usr"})), "/usr");
  EXPECT_EQ(output_of(agent.run("pwd")), there) << "that was for one command";
  EXPECT_EQ(output_of(run("pwd; cd /")), there) << "another program";
  EXPECT_EQ(output_of(agent.run("pwd; exit 3")), "/");
  EXPECT_EQ(asked("start").at(1).at("body").at("cwd").as_string(), there);
}

TEST_F(ManagedJudged, EndsAreTold) {
  LinesClient agent(world_);
  EXPECT_EQ(code_of(agent.run("exit 3")), 3);
  EXPECT_EQ(code_of(agent.run("false")), 1);
  EXPECT_EQ(code_of(agent.run("kill -9 $$")), -9);
  EXPECT_EQ(code_of(agent.run({.command = "true", .workdir = "/nowhere-at-all"})), 1)
      << "the gateway could not go there";
  EXPECT_EQ(code_of(agent.run("if")), 2);
}

TEST_F(ManagedJudged, InputArrivesWhateverItIs) {
  EXPECT_EQ(world_.run({"exec", "--stdin", "cat"}, "a\nb").out, "a\nb");
  const std::string bytes("a\0b\xff\n", 5);
  EXPECT_EQ(world_.run({"exec", "--stdin", "od -An -tx1 | tr -d ' \\n'"}, bytes).out, "610062ff0a");
}

// What we put around a command changes nothing in what the guard says of it.
TEST_F(ManagedJudged, TheVerdictIsThatOfTheCommand) {
  const auto verdict = [&](const std::string& text) {
    const std::string said = world_.run({"guard", "explain", "--", text}).out;
    return said.substr(0, said.find(':'));
  };
  LinesClient agent(world_);
  std::size_t which = 0;
  for (const char* command :
       {"echo hi", "cd /tmp && ls | wc -l", "git reset --hard", "python3 x.py; export A=1"}) {
    agent.result(agent.send({.command = command}));
    EXPECT_EQ(verdict(told(which++)), verdict(command)) << command;
  }
}

// A sudo that shows what it was given, and what all others could see of it.
class ManagedSudo : public ManagedSession {
 protected:
  static constexpr const char* kPassword = "Sesame-0pen-4711";

  void SetUp() override {
    ManagedSession::SetUp();
    const std::string bin = world_.directory("bin");
    std::ofstream(bin + "/sudo") << "#!/bin/bash\n"
                                    "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' >" +
                                        world_.path("seen") +
                                        "\n"
                                        "[ \"$1\" = -S ] && shift 3 && IFS= read -r given\n"
                                        "echo \"${#given} letters\"\nexec \"$@\"\n";
    std::filesystem::permissions(bin + "/sudo", std::filesystem::perms::owner_all);
    world_.set("PATH", bin + ":/usr/local/bin:/usr/bin:/bin");
    serve();
    world_.set("SUDO_PASSWORD", kPassword);
  }
};

TEST_F(ManagedSudo, ThePasswordIsNotInTheCommandAndNobodySeesIt) {
  EXPECT_EQ(output_of(run("sudo echo done")), "16 letters\ndone");
  EXPECT_THAT(std::string(asked("start").at(0).at("body").at("command").as_string()),
              Not(HasSubstr(kPassword)));
  EXPECT_THAT(world_.read("seen"), Not(HasSubstr(kPassword)));
}

TEST_F(ManagedSudo, InputWithAPasswordBeforeItStaysAsItIs) {
  const Finished done = world_.run({"exec", "--stdin", "sudo cat"}, "sudo ls\nsudo\n");
  EXPECT_EQ(done.out, "16 letters\nsudo ls\nsudo\n");
}

TEST_F(ManagedSession, TheTokenIsNowhereToBeSeen) {
  const Finished done = world_.run(
      {"exec", "env; cat /proc/[0-9]*/cmdline /proc/self/environ 2>/dev/null | tr '\\0' '\\n'"});
  EXPECT_THAT(done.out + done.err, Not(HasSubstr(kToken)));
  world_.set("MODAL_GATEWAY_URL", "http://127.0.0.1:1");
  const Finished failed = world_.run({"exec", "true"});
  EXPECT_EQ(failed.code(), 125);
  EXPECT_THAT(failed.out + failed.err, Not(HasSubstr(kToken)));
}

}  // namespace
}  // namespace talaria::test
