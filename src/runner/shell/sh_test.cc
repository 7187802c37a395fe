// Sessions at a target without bash: in Debian's sh (dash) and in busybox's.
#include <csignal>

#include "runner/run_report.h"
#include "testing/runner/run_fixture.h"

namespace talaria::runner {
namespace {

class WithoutBash : public RunFixture, public testing::WithParamInterface<const char*> {
 protected:
  WithoutBash() {
    session_.reset();
    *host_ = sh_host(nursery(), root_ + "/sh-prelude", GetParam()).value();
    session_ = std::make_unique<Session>(loop_.get_executor(), *host_, *store_, "t", *spare_);
  }

  std::vector<std::string> notices_of(const std::string& command) {
    const auto run = start(request(command));
    EXPECT_TRUE(ends(*run)) << shown(*run);
    return exit_report(*run, 0, 0).notices;
  }
};

TEST_P(WithoutBash, ACommandIsRunByItself) {
  EXPECT_EQ(run("echo $0 $# ; echo \"${BASH_VERSION-none}\""), "sh 0\nnone\n");
  EXPECT_EQ(run("(exit 3)\necho $?"), "3\n");
  EXPECT_EQ(run("case $$ in *[0-9]) echo pid;; esac # and a comment"), "pid\n");
}

TEST_P(WithoutBash, KeepsDirectoryVariablesAndUmask) {
  run("cd /usr; cd lib; export A='it'\"'\"'s\n \"two\" lines' EMPTY=; umask 027; local=gone");
  EXPECT_EQ(run("pwd; echo \"$OLDPWD\"; umask"), "/usr/lib\n/usr\n0027\n");
  EXPECT_EQ(run("printf '%s|' \"$A\" \"${EMPTY-unset}\" \"${local-unset}\""),
            "it's\n \"two\" lines||unset|");
}

TEST_P(WithoutBash, AnUnsetVariableStaysUnset) {
  EXPECT_EQ(run("echo $TERM; unset TERM"), "dumb\n");
  EXPECT_EQ(run("echo ${TERM-gone}"), "gone\n");
}

TEST_P(WithoutBash, KeepsAliasesAndOptions) {
  run("alias greet='echo \"it'\\''s\" me'; set -f; set -C");
  EXPECT_EQ(run("greet; echo /usr/*"), "it's me\n/usr/*\n");
  EXPECT_NE(run("echo x >there; echo y >there; cat there").find("x\n"), std::string::npos);
  run("unalias greet; set +f");
  EXPECT_EQ(run("alias; case \"$(echo /usr/*)\" in *'*'*) echo off;; *) echo on;; esac"), "on\n");
}

// They end with their command, as in bash.
TEST_P(WithoutBash, ErrexitAndTraceDoNotStay) {
  run("export A=1; set -eu; false; export A=2");
  EXPECT_EQ(run("echo $A; false; echo $nothing on"), "1\non\n");
  run("set -x; export A=3");
  EXPECT_EQ(run("echo $A"), "3\n");
}

TEST_P(WithoutBash, AVariableNoProgramCouldTakeIsKept) {
  run("x=1234567890; x=$x$x$x$x$x$x$x$x$x$x; x=$x$x$x$x$x$x$x$x$x$x; "
      "export BIG=$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x"
      "$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x"
      "$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x"
      "$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x"
      "$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x; cd /usr");
  EXPECT_EQ(run("echo ${#BIG}; pwd"), "150000\n/usr\n");
  run("unset BIG");
  EXPECT_EQ(run("echo ${BIG-gone}; env | grep -c HOME"), "gone\n1\n");
}

TEST_P(WithoutBash, ACommandMayBeLongerThanAnArgument) {
  const std::string text(200'000, 'x');
  EXPECT_EQ(run("x=" + text + "; echo ${#x}; cd /usr"), "200000\n");
  EXPECT_EQ(run("pwd"), "/usr\n");
}

TEST_P(WithoutBash, NothingOfOursCanBeSeen) {
  EXPECT_EQ(run("set | grep -ic talaria_; env | grep -ic talaria_; env | grep BASH_ENV; alias"),
            "0\n0\n");
  EXPECT_EQ(run("for n in 2 3 4 5 6 7 8 9 10; do [ ! -e /proc/$$/fd/$n ] || echo $n; done"), "2\n");
}

TEST_P(WithoutBash, FunctionsOfItsOwnNamesDoNoHarm) {
  EXPECT_EQ(run("printf() { echo mine; }; pwd() { echo mine; }; umask() { echo mine; }; "
                "alias printf='echo mine'; export A=kept; cd /usr; printf x"),
            "mine\n");
  EXPECT_EQ(run("echo $A; command pwd"), "kept\n/usr\n");
  run("for w in trap unset set export alias umask cd eval pwd; do alias $w='echo ours is'; done");
  EXPECT_EQ(run("A=changed"), "");
  EXPECT_EQ(run("\\export B=2; \\cd /; true"), "");
  EXPECT_EQ(run("\\unalias -a; echo $B; \\pwd"), "2\n/\n");
  EXPECT_EQ(run("set -- x; echo $1"), "x\n");
}

TEST_P(WithoutBash, AKilledShellLeavesTheSessionAsItWas) {
  run("export A=1");
  const auto killed = start(request("export A=2; kill -9 $$"));
  ASSERT_TRUE(ends(*killed));
  EXPECT_EQ(killed->exit()->status, ExitStatus(Signaled{SIGKILL}));
  EXPECT_EQ(run("echo $A"), "1\n");
}

TEST_P(WithoutBash, ADirectoryThatIsNotThereIsSaid) {
  RunRequest asked = request("echo never");
  asked.place.workdir = "/no/such";
  const auto run = start(std::move(asked));
  ASSERT_TRUE(ends(*run));
  EXPECT_EQ(run->exit()->status, ExitStatus(Exited{126}));
  EXPECT_NE(shown(*run).find("/no/such"), std::string::npos) << shown(*run);
}

TEST_P(WithoutBash, ItsInputAndItsTerminalAreTheCommands) {
  const auto reading = with_stdin("read -r line; echo \"got $line\"");
  type(*reading, "what I say\n");
  ASSERT_TRUE(ends(*reading));
  EXPECT_EQ(shown(*reading), "got what I say\n");
  EXPECT_EQ(run_on_terminal("test -t 0 && test -t 1 && echo $TERM"), "xterm-256color\r\n");
}

TEST_P(WithoutBash, IsToldOnceAndWhenACommandMayNeedBash) {
  const auto first = notices_of("true");
  ASSERT_EQ(first.size(), 1u);
  EXPECT_NE(first[0].find("this target has no bash"), std::string::npos);
  EXPECT_EQ(notices_of("true").size(), 0u);
  EXPECT_EQ(notices_of("exit 1").size(), 0u);
  EXPECT_EQ(notices_of("shopt -s extglob").size(), 1u);  // not found
  EXPECT_EQ(notices_of("a=(1 2 3)").size(), 1u);         // not understood
}

INSTANTIATE_TEST_SUITE_P(Shell, WithoutBash, testing::Values("/usr/bin/dash", "/usr/bin/busybox"),
                         [](const auto& info) {
                           return std::string(info.param).substr(std::string("/usr/bin/").size());
                         });

}  // namespace
}  // namespace talaria::runner
