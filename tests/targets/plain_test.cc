// The plain path: targets where no runner can run. What it declares to be able to do, it does.
#include <filesystem>
#include <fstream>
#include <optional>

#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>

#include "carriers/carrier_test.h"
#include "shell/quote.h"
#include "targets/small_disk.h"
#include "targets/ssh_test.h"

namespace talaria::test {
namespace {

using testing::HasSubstr;

enum class Kind { here, noexec, poor };

struct PlainWay {
  const char* name;
  Kind kind;
};

void PrintTo(const PlainWay& way, std::ostream* out) { *out << way.name; }

class PlainTest : public CarrierBase, public testing::WithParamInterface<PlainWay> {
 protected:
  void SetUp() override {
    CarrierBase::SetUp();
    world_.set("TERMINAL_CWD", "~");
    switch (GetParam().kind) {
      case Kind::here:
        world_.set("TERMINAL_CARRIER", "env HOME=" + world_.directory("there"));
        break;
      case Kind::noexec:
        return use_docker("talaria-test", kNowhereExecutableFlags);
      case Kind::poor:
        use_docker("talaria-poor", {"--network", "none"});
        break;
    }
    world_.set("TERMINAL_CARRIER_MODE", "plain");
  }

  bool has_bash() const { return GetParam().kind != Kind::poor; }
  std::string home() const {
    return GetParam().kind == Kind::here ? world_.path("there") : "/root";
  }
  // How many processes there have this in their command line.
  int count(const std::string& text) {
    std::string pattern = text;
    pattern.insert(1, "]").insert(0, "[");  // not the search itself
    const Finished found = world_.exec("grep -sl '" + pattern + "' /proc/[0-9]*/cmdline | wc -l");
    return std::stoi(found.out);
  }
};

// `&` was refused with the advice to use background, and that with the advice to use `&`.
TEST_P(PlainTest, ACommandMayPutWorkIntoTheBackground) {
  LinesClient agent(world_);
  agent.run("true");
  EXPECT_THAT(error_of(agent.start("sleep 1")), HasSubstr("`COMMAND </dev/null >FILE 2>&1 &`"));
  const json::object begun = agent.run("(sleep 0.2; echo done) </dev/null >~/later 2>&1 &");
  EXPECT_EQ(code_of(begun), 0) << json::serialize(begun);
  EXPECT_TRUE(eventually([&] { return output_of(agent.run("cat ~/later")) == "done"; }));
}

TEST_P(PlainTest, EveryResultSaysSoAndTheFirstSaysWhy) {
  LinesClient agent(world_);
  const json::object first = agent.run("echo hi; exit 3");
  EXPECT_EQ(output_of(first), "hi");
  EXPECT_EQ(code_of(first), 3);
  EXPECT_EQ(text(first, "transport"), "plain");
  EXPECT_THAT(notices_of(first),
              HasSubstr(GetParam().kind == Kind::noexec ? "no place here lets programs run"
                                                        : "TERMINAL_CARRIER_MODE"));
  if (!has_bash()) EXPECT_THAT(notices_of(first), HasSubstr("this target has no bash"));
  const json::object second = agent.run("true");
  EXPECT_EQ(text(second, "transport"), "plain");
  EXPECT_FALSE(second.contains("notices")) << notices_of(second);
}

TEST_P(PlainTest, ASessionKeepsItsDirectoryAndVariablesOverControllers) {
  const auto in_t = [&](const std::string& command) {
    return world_.run({"exec", "--task", "t", command}).out;
  };
  EXPECT_EQ(in_t("pwd"), home() + "\n");
  in_t("cd /etc; export A=\"it's  \\$HOME \\\"q\\\"\nline\"; B=unexported");
  EXPECT_EQ(in_t("pwd; printf '%s|' \"$A\" \"$B\""), "/etc\nit's  $HOME \"q\"\nline||");
  EXPECT_EQ(world_.run({"exec", "--task", "other", "pwd; echo \"<$A>\""}).out, home() + "\n<>\n");
  in_t("unset A PATH; cd /bin");
  EXPECT_EQ(in_t("echo ${A-gone} ${PATH-gone}; cd -"), "gone gone\n/etc\n");
  EXPECT_EQ(in_t("echo ${A-gone} ${PATH-gone}; cd -"), "gone gone\n/bin\n");
}

TEST_P(PlainTest, ASessionKeepsWhatItsShellCanPrint) {
  LinesClient agent(world_);
  const std::string alias = has_bash() ? "shopt -s expand_aliases; " : "";
  agent.run(alias + "umask 027; alias one='echo it'; alias two=\"printf '%s|' 'a  b'\necho c\"");
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(output_of(agent.run("umask; one; two")), "0027\nit\na  b|c");
  }
  agent.run("unalias one; umask 022");
  const json::object after = agent.run("umask; two; one");
  EXPECT_THAT(output_of(after), HasSubstr("0022\na  b|c"));
  EXPECT_EQ(code_of(after), 127);
  EXPECT_EQ(output_of(agent.run("export IFS=,; export D=' x '; cd /etc")), "");
  EXPECT_EQ(output_of(agent.run("a=1,2,3; set -- $a; echo \"$# $PWD<$D>\"")), "3 /etc< x >");
}

TEST_P(PlainTest, FunctionsAreKeptByBashAndElsewhereThatIsSaid) {
  LinesClient agent(world_);
  const json::object first = agent.run("f() { echo \"f $1\"; }; set -o noglob");
  const json::object later = agent.run("f it; echo *");
  if (!has_bash()) {
    EXPECT_THAT(notices_of(first), HasSubstr("but not its functions"));
    EXPECT_TRUE(output_of(later).ends_with("\n*")) << output_of(later);
    EXPECT_EQ(output_of(agent.run("f it 2>/dev/null || echo gone")), "gone");
    return;
  }
  EXPECT_EQ(output_of(later), "f it\n*");
  agent.run(
      "shopt -s extglob nullglob\ng() { case $1 in @(a|b)) echo ab;; esac; }; "
      "h() { echo h; }; export -f h");
  agent.run("unset -f f; set +o noglob");
  EXPECT_EQ(output_of(agent.run("g b; bash -c h; type -t f; echo /no/such*; shopt -u extglob")),
            "ab\nh");
  EXPECT_EQ(output_of(agent.run("type -t g; shopt -q extglob || echo off")), "function\noff");
}

// The next command could not even be read: no program can be started with such an environment.
TEST_P(PlainTest, AVariableTooLargeForProgramsIsKeptAndCanBeUnset) {
  LinesClient agent(world_);
  agent.run("export BIG=$(head -c 300000 /dev/zero | tr '\\0' x)");
  EXPECT_EQ(output_of(agent.run("echo ${#BIG}")), "300000");
  EXPECT_EQ(output_of(agent.run("unset BIG; cat /no/such 2>/dev/null || echo on")), "on");
  EXPECT_EQ(output_of(agent.run("echo on | cat; echo \"${BIG-unset}\"")), "on\nunset");
}

TEST_P(PlainTest, NothingOfOursIsSeenByACommand) {
  const std::string look =
      "{ set; env; export -p; } | grep -i -c '__tal[a]ria\\|TAL[A]RIA_PLAIN'; echo $#";
  LinesClient agent(world_);
  agent.run("export A=1; cd /etc; alias x=y");
  EXPECT_EQ(output_of(agent.run(look)), "0\n0");
  EXPECT_EQ(output_of(agent.run({.command = look, .workdir = "/bin"})), "0\n0");
  if (!has_bash()) {
    EXPECT_THAT(output_of(agent.run("nonesuch")), HasSubstr("nonesuch: not found"));
    return;
  }
  EXPECT_EQ(output_of(agent.run("echo \"$BASH_EXECUTION_STRING|${BASH_ENV-none} $0 $SHLVL\"")),
            "echo \"$BASH_EXECUTION_STRING|${BASH_ENV-none} $0 $SHLVL\"|none bash 1");
  EXPECT_EQ(output_of(agent.run("nonesuch")), "bash: line 1: nonesuch: command not found");
  EXPECT_EQ(output_of(agent.run("declare -F; declare -p | grep -c __tal[a]ria")), "0");
}

// Both are there before either ends. In sh the last to end says what is kept.
TEST_P(PlainTest, OfTwoCommandsAtOnceBothChangesAreKeptByBash) {
  const auto meet = [](const std::string& own, const std::string& other) {
    return "touch ~/" + own + "; until [ -e ~/" + other + " ]; do sleep 0.05; done; export " + own +
           "=1; " + own + "() { echo $" + own + "; }";
  };
  LinesClient agent(world_);
  const int first = agent.send({.command = meet("one", "two")});
  const int second = agent.send({.command = meet("two", "one")});
  EXPECT_EQ(code_of(agent.result(first)), 0);
  EXPECT_EQ(code_of(agent.result(second)), 0);
  EXPECT_EQ(output_of(agent.run(has_bash() ? "one; two" : "echo $one$two | tr -s 1")),
            has_bash() ? "1\n1" : "1");
}

TEST_P(PlainTest, AnExitTrapOfTheCommandsRuns) {
  LinesClient agent(world_);
  const json::object ended = agent.run("export A=1; trap 'echo bye' EXIT; exit 5");
  EXPECT_EQ(output_of(ended), "bye");
  EXPECT_EQ(code_of(ended), 5);
  // Ours stands beside it in bash, and is lost in sh.
  EXPECT_EQ(output_of(agent.run("echo ${A-lost}")), has_bash() ? "1" : "lost");
}

TEST_P(PlainTest, ProcessesACommandLeavesAreCounted) {
  LinesClient agent(world_);
  const json::object left = agent.run("sleep 4335 >/dev/null 2>&1 & echo $! >~/left; echo on");
  EXPECT_EQ(output_of(left), "on");
  ASSERT_TRUE(left.contains("background_children")) << left;
  EXPECT_EQ(left.at("background_children").as_int64(), 1);
  const json::object none = agent.run("kill $(cat ~/left)");
  EXPECT_FALSE(none.contains("background_children")) << none;
}

TEST_P(PlainTest, APlaceMayHaveAnOddName) {
  const std::string name = "it's \"an\" odd $place";
  const std::string home = GetParam().kind == Kind::here ? world_.directory(name) : "/tmp/" + name;
  const std::string before =
      GetParam().kind == Kind::here ? "env HOME=" : "docker exec -i " + container_ + " env HOME=";
  world_.set("TERMINAL_CARRIER", before + shell::single_quote(home));
  LinesClient agent(world_);
  EXPECT_EQ(output_of(agent.run("pwd; export A=kept; trap '' USR1")), home);
  EXPECT_EQ(output_of(agent.run("mkdir b; cd b; echo $A")), "kept");
  EXPECT_EQ(output_of(agent.run("pwd; ls ~/.talaria/plain | wc -l | tr -d ' '")), home + "/b\n2");
}

TEST_P(PlainTest, AWorkdirIsForOneCommandAndADirectoryThatIsGoneIsSaid) {
  LinesClient agent(world_);
  agent.run("mkdir -p /tmp/a/b; cd /tmp/a/b");
  EXPECT_EQ(output_of(agent.run({.command = "pwd", .workdir = "/etc"})), "/etc");
  EXPECT_EQ(output_of(agent.run("pwd")), "/tmp/a/b");
  EXPECT_EQ(output_of(agent.run({.command = "cd /bin; pwd", .workdir = "/etc"})), "/bin");
  EXPECT_EQ(output_of(agent.run("pwd; cd /tmp/a/b; rm -r /tmp/a")), "/bin");
  const json::object lost = agent.run("pwd");
  EXPECT_EQ(output_of(lost), "/tmp");
  EXPECT_THAT(notices_of(lost), HasSubstr("/tmp/a/b does not exist"));
  EXPECT_EQ(code_of(agent.run({.command = "true", .workdir = "-"})), 126);
  EXPECT_EQ(code_of(agent.run({.command = "true", .workdir = "/no/such"})), 126);
}

TEST_P(PlainTest, AnEndIsToldAsItWas) {
  struct {
    const char* command;
    int code;
  } const cases[] = {{"exit 255", 255},
                     {"(exit 143)", 143},
                     {"exit 143", 143},
                     {"kill -9 $$", -9},
                     {"kill -15 $$", -15},
                     {"kill -2 $$", -2},
                     {"nonesuch 2>/dev/null", 127},
                     {"exec sh -c 'exit 9'", 9},
                     {"exec sh -c 'exit 255'", 255},
                     {"trap 'exit 200' EXIT; exit 1", 200}};
  LinesClient agent(world_);
  for (const auto& one : cases) {
    EXPECT_EQ(code_of(agent.run(one.command)), one.code) << one.command;
  }
}

TEST_P(PlainTest, OutputComesThroughByteForByte) {
  EXPECT_EQ(world_.exec("printf '\\000\\001\\377\\r\\n'; echo err >&2; printf 'no newline'").out,
            std::string("\0\1\377\r\nerr\nno newline", 19));
  const Finished long_one = world_.exec("seq 1 300000");
  EXPECT_EQ(long_one.out.size(), 1988895u);
  EXPECT_TRUE(long_one.out.ends_with("\n299999\n300000\n"));
}

TEST_P(PlainTest, InputAndLongCommandsGoThere) {
  EXPECT_EQ(trim_end(world_.run({"exec", "--stdin", "wc -c"}, std::string(300'000, 'x')).out),
            "300000");
  EXPECT_EQ(world_.exec("cat").out, "");  // there is none
  LinesClient agent(world_);
  const json::object counted = agent.run("x='" + std::string(300'000, 'y') + "'; echo ${#x}");
  EXPECT_EQ(output_of(counted), "300000");
}

// Hermes looked for a marker that a command could print.
TEST_P(PlainTest, NothingACommandCanSeeSpoofsItsEnd) {
  LinesClient agent(world_);
  const json::object result = agent.run(
      "cat /proc/$PPID/cmdline /proc/$PPID/environ ~/.talaria/plain/*/*; env; "
      "echo started; (trap 'cat ~/.talaria/plain/*/* 2>/dev/null' EXIT); cd /etc; exit 4");
  EXPECT_EQ(code_of(result), 4);
  EXPECT_EQ(output_of(agent.run("pwd")), "/etc");
  // Whatever is still printed by what goes on behind its back is not taken for more.
  EXPECT_EQ(output_of(agent.run("(sleep 0.2; echo late) & echo now")), "now");
}

TEST_P(PlainTest, ATimeoutEndsTheWholeTreeThere) {
  const std::string own = "4331." + std::to_string(::getpid());  // other tests run beside this one
  const std::string nap = "sleep " + own;
  const Finished late = world_.run(
      {"exec", "--timeout", "1",
       "(setsid " + nap + " &); env -i " + nap + " & trap '' TERM; " + nap + "; " + nap});
  EXPECT_EQ(late.code(), 124) << late.err;
  EXPECT_EQ(count(own), 0);
}

TEST_P(PlainTest, ACancelEndsTheWholeTreeThere) {
  LinesClient agent(world_);
  const std::string own = "4332." + std::to_string(::getpid());
  const int running = agent.send({.command = "echo on; sleep " + own});
  ASSERT_TRUE(eventually([&] { return count(own) > 0; }));
  agent.cancel(running);
  EXPECT_EQ(code_of(agent.result(running)), 130);
  EXPECT_EQ(count(own), 0);
  EXPECT_EQ(output_of(agent.run("echo next")), "next");
}

TEST_P(PlainTest, WhatItCannotDoItSays) {
  LinesClient agent(world_);
  const json::object refused = agent.start("sleep 1");
  EXPECT_EQ(code_of(refused), -1);
  EXPECT_THAT(error_of(refused), HasSubstr("plain transport"));
  const json::object listed = agent.process({{"action", "list"}});
  EXPECT_TRUE(listed.at("processes").as_array().empty());
}

TEST_P(PlainTest, NothingIsLeftThereButTheSessions) {
  world_.run({"exec", "--task", "t", "true"});
  world_.run({"exec", "--timeout", "1", "sleep 4333.5"});
  const Finished left = world_.exec(
      "ls ~/.talaria/plain | grep -v '[.]' | wc -l; "
      "ls -ld ~/.talaria | cut -c 1-10; "
      "ls -l ~/.talaria/plain/*.* | cut -c 1-10");
  EXPECT_EQ(left.out, "1\ndrwx------\n-rw-------\n");  // this command's own
}

INSTANTIATE_TEST_SUITE_P(Ways, PlainTest,
                         testing::Values(PlainWay{"Here", Kind::here},
                                         PlainWay{"Noexec", Kind::noexec},
                                         PlainWay{"Poor", Kind::poor}),
                         [](const auto& way) { return std::string(way.param.name); });

class PlainHereTest : public CarrierBase {
 protected:
  void SetUp() override {
    CarrierBase::SetUp();
    world_.set("TERMINAL_CARRIER_MODE", "plain");
  }
};

TEST_F(PlainHereTest, TheTargetsOwnBashEnvIsRead) {
  const std::string home = world_.directory("there");
  std::ofstream(home + "/env.sh") << "declare -x FROM_FILE=read; h() { echo h; }\n";
  world_.set("TERMINAL_CARRIER", "env HOME=" + home + " BASH_ENV='$HOME/env.sh'");
  LinesClient agent(world_);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(output_of(agent.run("echo $FROM_FILE \"$BASH_ENV\"; h")), "read $HOME/env.sh\nh");
  }
}

// A target where the limit cannot be set that a run's processes are known by.
TEST_F(PlainHereTest, WithoutLimitsAVariableTellsWhatBelongsToARun) {
  world_.set("TERMINAL_CARRIER",
             "bash -c 'ulimit -x 5; exec \"$@\"' - env HOME=" + world_.directory("there"));
  LinesClient agent(world_);
  const std::string first = output_of(agent.run("echo $TALARIA_PLAIN_RUN"));
  const std::string second = output_of(agent.run("echo $TALARIA_PLAIN_RUN"));
  EXPECT_EQ(first.size(), 16u);
  EXPECT_NE(first, second);
  const std::string own = "4336." + std::to_string(::getpid());
  const json::object late = agent.run(
      {.command = "(setsid sh -c 'exec sleep " + own + "' &); sleep " + own, .timeout = 1});
  EXPECT_EQ(code_of(late), 124);
  EXPECT_EQ(output_of(agent.run("cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -c "
                                "'sleep [4]" +
                                own.substr(1) + "'")),
            "0");
}

class PlainFullTest : public PlainHereTest, public testing::WithParamInterface<bool> {
 protected:
  // With the home there on a small disk. The programs are all but bash, if that is not wanted.
  void SetUp() override {
    PlainHereTest::SetUp();
    const std::string home = world_.directory("there");
    std::string carrier = "env HOME=" + home;
    if (!GetParam()) carrier += " PATH=" + programs_without_bash();
    world_.set("TERMINAL_CARRIER", carrier);
    world_.set("TERMINAL_CWD", "~");
    disk_.emplace(home, "2m");
    if (!disk_->trouble().empty()) GTEST_SKIP() << disk_->trouble();
  }
  void TearDown() override {
    disk_.reset();
    PlainHereTest::TearDown();
  }

  std::string programs_without_bash() {
    const std::string programs = world_.directory("programs");
    for (const char* place : {"/usr/bin", "/bin"}) {
      for (const auto& entry : std::filesystem::directory_iterator(place)) {
        const std::string name = entry.path().filename();
        std::error_code ignored;  // both may have it
        if (name != "bash") {
          std::filesystem::create_symlink(entry.path(), programs + "/" + name, ignored);
        }
      }
    }
    return programs;
  }

  std::optional<SmallDisk> disk_;
};

// What there was room for took the place of all that the session had.
TEST_P(PlainFullTest, ASessionHasWhatItHadAndGoesOnWhenThereIsRoom) {
  LinesClient agent(world_);
  const std::string large = "$(head -c 40000 /dev/zero | tr '\\0' x)";
  agent.run("cd /usr; export A=kept LARGE=" + large + "; alias say='echo said'");
  const json::object filled =
      agent.run("cd /var; export B=lost; cat /dev/zero >~/filler; cat /dev/zero >>~/filler");
  EXPECT_THAT(output_of(filled), HasSubstr("No space left on device"));
  EXPECT_THAT(notices_of(filled),
              HasSubstr("what this command changed in the session was not kept"));
  EXPECT_THAT(error_of(agent.run(": " + std::string(300'000, 'x'))),
              HasSubstr("No space left on device"));

  std::filesystem::remove(world_.path("there/filler"));
  const std::string look = "pwd; echo $A ${#LARGE} ${B-none}; alias say | grep -c said";
  const json::object after = agent.run(look);
  EXPECT_EQ(output_of(after), "/usr\nkept 40000 none\n1");
  EXPECT_EQ(notices_of(after), "");
  EXPECT_EQ(notices_of(agent.run("cd /var; export B=there")), "");
  EXPECT_EQ(output_of(agent.run(look)), "/var\nkept 40000 there\n1");
}

// Room for some of it, but not for all: a cut text would have been the session.
TEST_P(PlainFullTest, ASessionIsNeverKeptInPart) {
  LinesClient agent(world_);
  agent.run("cd /usr; export A=kept");
  for (int spare = 4; spare <= 200; spare += 28) {
    const json::object filled = agent.run(
        "cd /var; export A=lost LARGE=$(head -c 100000 /dev/zero | tr '\\0' x); unset HOME\n"
        "cat /dev/zero >" +
        world_.path("there/filler") + " 2>/dev/null; truncate -s -" + std::to_string(spare) + "K " +
        world_.path("there/filler"));
    std::filesystem::remove(world_.path("there/filler"));
    const bool lost = notices_of(filled).contains("was not kept");
    EXPECT_TRUE(lost || spare > 4);
    EXPECT_EQ(output_of(agent.run("pwd; echo $A ${#LARGE} ${HOME+home}")),
              lost ? "/usr\nkept 0 home" : "/var\nlost 100000")
        << spare;
    if (!lost) break;
  }
}

INSTANTIATE_TEST_SUITE_P(Shells, PlainFullTest, testing::Bool(), [](const auto& with_bash) {
  return std::string(with_bash.param ? "Bash" : "Sh");
});

using PlainSshTest = SshTest;

TEST_F(PlainSshTest, AConnectionThatBreaksIsAnErrorAndTheCommandIsEnded) {
  world_.set("TERMINAL_CARRIER_MODE", "plain");
  LinesClient agent(world_);
  const int running = agent.send({.command = "echo $$ >~/pid; exec sleep 4334.5"});
  const ProcessName command = process_in("sshd/ssh/home/pid");
  ASSERT_GT(command.pid, 0);
  server_->kill_connections();
  const json::object lost = agent.result(running);
  EXPECT_EQ(code_of(lost), -1);
  EXPECT_THAT(error_of(lost), HasSubstr("the connection broke"));
  EXPECT_FALSE(is_alive(command));
  EXPECT_EQ(output_of(agent.run("echo next")), "next");
}

using PlainLossTest = CarrierBase;

TEST_F(PlainLossTest, ACarrierThatFailsIsQuotedAndNothingRan) {
  world_.set("TERMINAL_CARRIER", "echo no route >&2; false");
  world_.set("TERMINAL_CARRIER_MODE", "plain");
  const Finished refused = world_.exec("true");
  EXPECT_EQ(refused.code(), 125);
  EXPECT_THAT(refused.err, HasSubstr("no route"));
}

}  // namespace
}  // namespace talaria::test
