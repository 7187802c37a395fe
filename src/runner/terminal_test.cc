// Commands on a terminal: what they see is one, and what is typed there does what it does anywhere.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iterator>

#include "os/proc.h"
#include "runner/run_report.h"
#include "testing/runner/run_fixture.h"

namespace talaria::runner {
namespace {

class OnTerminal : public RunFixture {
 protected:
  static std::size_t open_descriptors() {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}));
  }

  // A program of this name runs below its shell.
  bool starts(const talaria::runner::Run& run, const std::string& name) {
    return until([&] {
      return std::ranges::any_of(os::descendants(run.pid()), [&](pid_t pid) {
        const auto stat = os::read_process_stat(pid);
        return stat && stat->name == name;
      });
    });
  }

  std::string file(const std::string& name) const {
    std::ifstream stream(root_ + "/work/" + name);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
};

TEST_F(OnTerminal, ItIsOneOnAllThreeAndControlsTheSession) {
  const std::string text = run_on_terminal(
      "[ -t 0 ] && [ -t 1 ] && [ -t 2 ] && tty && stty size && echo direct > /dev/tty");
  EXPECT_TRUE(text.starts_with("/dev/pts/")) << text;
  EXPECT_NE(text.find("\r\n30 120\r\ndirect\r\n"), std::string::npos) << text;
}

TEST_F(OnTerminal, NothingElseIsOpenThere) {
  EXPECT_EQ(run_on_terminal("ls /proc/$$/fd > list; cat list"), "0\r\n1\r\n2\r\n");
}

TEST_F(OnTerminal, StateIsKeptAsWithoutOne) {
  EXPECT_EQ(run_on_terminal("export A=kept; f() { echo f; }; cd /usr; umask 027"), "");
  EXPECT_EQ(run("echo $A; f; pwd; umask"), "kept\nf\n/usr\n0027\n");
  EXPECT_EQ(run_on_terminal("echo $A; f; pwd; umask"), "kept\r\nf\r\n/usr\r\n0027\r\n");
}

TEST_F(OnTerminal, TermIsAKnownOneUnlessTheSessionChose) {
  EXPECT_EQ(run_on_terminal("echo $TERM"), "xterm-256color\r\n");
  EXPECT_EQ(run("echo $TERM"), "dumb\n");  // the caller's, where there is no terminal
  run("export TERM=vt100");
  EXPECT_EQ(run_on_terminal("echo $TERM"), "vt100\r\n");
  run("export TERM=dumb");
  EXPECT_EQ(run_on_terminal("echo $TERM"), "xterm-256color\r\n");
  run("unset TERM");
  EXPECT_EQ(run_on_terminal("echo $TERM"), "xterm-256color\r\n");
}

TEST_F(OnTerminal, OneThatKillsItselfWasKilled) {
  const auto run = on_terminal("echo last; kill -9 $$");
  ASSERT_TRUE(ends(*run)) << shown(*run);
  EXPECT_EQ(run->exit()->how, link::Ended::signaled);
  EXPECT_EQ(exit_report(*run, 100, 0).signal, 9u);
  EXPECT_EQ(shown(*run), "last\r\n");
}

TEST_F(OnTerminal, EverythingPrintedBeforeTheEndIsThere) {
  for (int i = 0; i < 5; ++i) {
    const auto run = on_terminal("seq 1 30000; exit 3");
    ASSERT_TRUE(ends(*run)) << shown(*run);
    const std::string text = shown(*run);
    EXPECT_EQ(text.size(), 168'894u + 30'000u);
    EXPECT_TRUE(text.ends_with("\r\n30000\r\n"));
    EXPECT_EQ(exit_report(*run, 0, 0).code, 3);
    EXPECT_TRUE(run->output_closed());
  }
}

TEST_F(OnTerminal, WhatStaysBehindDoesNotHoldItsEndBack) {
  const auto run = on_terminal("trap '' HUP; sleep 30 & exit 5");
  ASSERT_TRUE(until([&] { return run->finished(); }));
  EXPECT_EQ(exit_report(*run, 0, 0).code, 5);
  EXPECT_FALSE(run->tree().empty());
  run->kill(link::Ended::killed, std::chrono::milliseconds(0));
  EXPECT_TRUE(ends(*run));
}

TEST_F(OnTerminal, CatEchoesAndEndsWithTheInput) {
  const auto run = on_terminal("cat");
  type(*run, "hello\n");
  ASSERT_TRUE(shows(*run, "hello\r\nhello\r\n"));
  end_input(*run);
  ASSERT_TRUE(ends(*run)) << shown(*run);
  EXPECT_EQ(run->exit()->how, link::Ended::exited);
  EXPECT_EQ(exit_report(*run, 0, 0).code, 0);
}

TEST_F(OnTerminal, TheEndInTheMiddleOfALineHandsItOver) {
  const auto run = on_terminal("cat > got; stty -echo; cat > more");
  type(*run, "no newline");
  end_input(*run);
  ASSERT_TRUE(until([&] { return file("got") == "no newline"; }));
  // The queue continues: that was the end for one program, not of the terminal.
  EXPECT_TRUE(run->input().takes_input());
  ASSERT_TRUE(until([&] { return std::filesystem::exists(root_ + "/work/more"); }));
  type(*run, "second\n");
  end_input(*run);
  ASSERT_TRUE(ends(*run)) << shown(*run);
  EXPECT_EQ(file("more"), "second\n");
}

TEST_F(OnTerminal, TheEndIsTypedWithTheCharacterThatCounts) {
  const auto run = on_terminal("stty eof ^X; echo set; cat");
  ASSERT_TRUE(shows(*run, "set"));
  end_input(*run);
  ASSERT_TRUE(ends(*run)) << shown(*run);
  EXPECT_EQ(exit_report(*run, 0, 0).code, 0);
}

// A Write that is sent again must not end two programs.
TEST_F(OnTerminal, TheSameEndTwiceIsOne) {
  const auto run = on_terminal("cat; echo first; cat; echo second");
  run->input().end_behind("w", 0);
  run->input().end_behind("w", 0);
  ASSERT_TRUE(shows(*run, "first\r\n"));
  type(*run, "still here\n");
  ASSERT_TRUE(shows(*run, "still here\r\nstill here\r\n"));
  run->input().end_behind("another", 0);
  ASSERT_TRUE(ends(*run)) << shown(*run);
  EXPECT_TRUE(shown(*run).ends_with("second\r\n"));
}

TEST_F(OnTerminal, CtrlCInterruptsWhatIsInTheForeground) {
  const auto run = on_terminal("echo on; sleep 100; echo not this");
  ASSERT_TRUE(starts(*run, "sleep"));
  type(*run, "\x03");
  ASSERT_TRUE(ends(*run)) << shown(*run);
  EXPECT_EQ(run->exit()->how, link::Ended::signaled);
  EXPECT_EQ(exit_report(*run, 0, 0).signal, static_cast<unsigned>(SIGINT));
}

TEST_F(OnTerminal, CtrlBackslashQuits) {
  const auto run = on_terminal("trap 'echo quit' QUIT; echo on; read line");
  ASSERT_TRUE(shows(*run, "on\r\n"));
  type(*run, "\x1c");
  ASSERT_TRUE(shows(*run, "quit"));
  type(*run, "\n");
  EXPECT_TRUE(ends(*run));
}

TEST_F(OnTerminal, CtrlZStopsAJobOfAnInteractiveShell) {
  const auto run = on_terminal("bash --norc -i");
  type(*run, "sleep 100\n");
  ASSERT_TRUE(starts(*run, "sleep")) << shown(*run);
  type(*run, "\x1a");
  ASSERT_TRUE(shows(*run, "Stopped"));
  type(*run, "echo $((40 + 2))\n");
  ASSERT_TRUE(shows(*run, "42"));
  type(*run, "exit 7\nexit 7\n");  // it asks once whether we mean it
  ASSERT_TRUE(ends(*run)) << shown(*run);
  EXPECT_EQ(exit_report(*run, 0, 0).code, 7);
}

TEST_F(OnTerminal, AStoppedProgramCanBeKilled) {
  const auto run = on_terminal("echo on; cat");
  ASSERT_TRUE(shows(*run, "on\r\n"));
  type(*run, "\x1a");
  run->kill(link::Ended::killed, std::chrono::milliseconds(500));
  ASSERT_TRUE(ends(*run)) << shown(*run);
  EXPECT_EQ(run->exit()->how, link::Ended::killed);
}

TEST_F(OnTerminal, ANewSizeIsToldAndRemembered) {
  const auto run =
      on_terminal("trap 'stty size' WINCH; echo on; while :; do sleep 0.05; done", {10, 40});
  ASSERT_TRUE(shows(*run, "on\r\n"));
  ASSERT_TRUE(run->resize({.rows = 50, .cols = 200}));
  ASSERT_TRUE(shows(*run, "50 200\r\n"));
  ASSERT_TRUE(run->resize({.rows = 50, .cols = 200}));  // nothing new
  const std::vector<link::SizeChange> expected{{.size = {.rows = 10, .cols = 40}},
                                               {.cursor = 4, .size = {.rows = 50, .cols = 200}}};
  EXPECT_EQ(process_entry(*run, 0).sizes, expected);
  EXPECT_TRUE(process_entry(*run, 0).pty);
  run->kill(link::Ended::killed, std::chrono::milliseconds(0));
  ASSERT_TRUE(ends(*run)) << shown(*run);
  EXPECT_TRUE(run->resize({.rows = 3, .cols = 80}));  // too late is not an error
}

TEST_F(OnTerminal, OnlyTheLastSizesAreRemembered) {
  const auto run = on_terminal("stty -echo; while read -r line; do stty size; done");
  for (std::uint32_t rows = 1; rows <= 40; ++rows) {
    ASSERT_TRUE(run->resize({.rows = rows, .cols = 80}));
    type(*run, "\n");
    ASSERT_TRUE(shows(*run, std::to_string(rows) + " 80\r\n")) << shown(*run);
  }
  EXPECT_EQ(process_entry(*run, 0).sizes.size(), kMaxSizeChanges);
  EXPECT_EQ(process_entry(*run, 0).sizes.back().size, (link::TerminalSize{.rows = 40, .cols = 80}));
  end_input(*run);
  ASSERT_TRUE(ends(*run)) << shown(*run);
}

TEST_F(OnTerminal, WithoutATerminalThereIsNothingToResize) {
  const auto run = with_stdin("cat");
  const auto resized = run->resize({.rows = 3, .cols = 80});
  ASSERT_FALSE(resized);
  EXPECT_EQ(resized.error().kind(), ErrorKind::bad_request);
  EXPECT_NE(resized.error().message().find("no terminal"), std::string::npos);
  end_input(*run);
  EXPECT_TRUE(ends(*run));
}

TEST_F(OnTerminal, APythonReplAnswers) {
  const auto run = on_terminal("python3 -q");
  ASSERT_TRUE(shows(*run, ">>> "));
  type(*run, "print(6 * 7)\n");
  ASSERT_TRUE(shows(*run, "42"));
  ASSERT_TRUE(shows(*run, ">>> "));
  end_input(*run);
  ASSERT_TRUE(ends(*run)) << shown(*run);
  EXPECT_EQ(exit_report(*run, 0, 0).code, 0);
}

TEST_F(OnTerminal, VimWritesAFile) {
  const auto run = on_terminal("vim.tiny -u NONE -i NONE -n letter");
  ASSERT_TRUE(shows(*run, "letter"));
  type(*run, "ihello\x1b");
  ASSERT_TRUE(shows(*run, "hello"));
  ASSERT_TRUE(run->resize({.rows = 20, .cols = 60}));
  type(*run, ":wq\r");
  ASSERT_TRUE(ends(*run)) << shown(*run);
  EXPECT_EQ(exit_report(*run, 0, 0).code, 0);
  EXPECT_EQ(file("letter"), "hello\n");
}

TEST_F(OnTerminal, LessPagesAndQuits) {
  const auto run = on_terminal("seq 1 1000 | less");
  ASSERT_TRUE(shows(*run, "29\r\n"));
  EXPECT_EQ(shown(*run).find("\n50\r"), std::string::npos);
  type(*run, " ");
  ASSERT_TRUE(shows(*run, "50\r\n"));
  type(*run, "q");
  ASSERT_TRUE(ends(*run)) << shown(*run);
  EXPECT_EQ(exit_report(*run, 0, 0).code, 0);
}

TEST_F(OnTerminal, TopShowsAndQuits) {
  const auto run = on_terminal("top");
  ASSERT_TRUE(shows(*run, "PID"));
  type(*run, "q");
  ASSERT_TRUE(ends(*run)) << shown(*run);
  EXPECT_EQ(exit_report(*run, 0, 0).code, 0);
}

// More than the kernel takes for a program that does not read it: nothing is lost, nobody waits.
TEST_F(OnTerminal, InputForAProgramThatDoesNotReadYetArrivesWholeAndInOrder) {
  const auto run = on_terminal("stty -echo; echo on; read -r first; cat > got");
  ASSERT_TRUE(shows(*run, "on\r\n"));
  std::string text;
  for (int i = 0; text.size() < 200'000; ++i) text += "line " + std::to_string(i) + "\n";
  type(*run, text);
  EXPECT_FALSE(run->input().applied("", text.size()));
  type(*run, "\n");
  end_input(*run);
  ASSERT_TRUE(ends(*run)) << shown(*run);
  EXPECT_EQ("line 0\n" + file("got"), text + "\n");
}

TEST_F(OnTerminal, NoMoreThanTheWindowIsHeldForAProgramThatDoesNotRead) {
  const auto run = on_terminal("stty raw -echo; echo on; sleep 100");
  ASSERT_TRUE(shows(*run, "on\n"));
  const auto given = run->input().take("", 0, std::string(kInputWindow + 1, 'x'));
  ASSERT_FALSE(given);
  EXPECT_EQ(given.error().kind(), ErrorKind::limit);
  EXPECT_TRUE(run->input().take("", 0, std::string(kInputWindow, 'x')));
  EXPECT_FALSE(run->input().applied("", kInputWindow));
  run->kill(link::Ended::killed, std::chrono::milliseconds(0));
  EXPECT_TRUE(ends(*run));
}

// The kernel's own bound, while a program reads by lines; docs/reference/link.md tells users.
TEST_F(OnTerminal, ALineOfMoreThanFourThousandBytesIsCutAsEverywhere) {
  const auto run = on_terminal("stty -echo; echo on; cat > got");
  ASSERT_TRUE(shows(*run, "on\r\n"));
  type(*run, std::string(6000, 'x') + "\nnext\n");
  end_input(*run);
  ASSERT_TRUE(ends(*run)) << shown(*run);
  EXPECT_EQ(file("got"), std::string(4095, 'x') + "\nnext\n");
}

TEST_F(OnTerminal, WithoutLinesThereIsNoSuchBound) {
  const auto run = on_terminal("stty -echo -icanon; echo on; head -c 50000 > got");
  ASSERT_TRUE(shows(*run, "on\r\n"));
  type(*run, std::string(50'000, 'x'));
  ASSERT_TRUE(ends(*run)) << shown(*run);
  EXPECT_EQ(file("got"), std::string(50'000, 'x'));
}

// As many descriptors are left as a command needs before its terminal.
TEST_F(OnTerminal, WhereThereIsNoneTheStartFailsAndSaysWhy) {
  run_on_terminal("true");
  const int first = ::dup(0);
  const int second = ::dup(0);
  const int third = ::dup(0);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit tight{.rlim_cur = static_cast<rlim_t>(third), .rlim_max = before.rlim_max};
  for (const int fd : {first, second, third}) ::close(fd);
  RunRequest asked = request("true");
  asked.terminal = os::WindowSize{30, 120};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &tight), 0);
  const auto refused = session_->start(std::move(asked));
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::unavailable);
  EXPECT_TRUE(refused.error().message().starts_with("cannot open a terminal for this command"))
      << refused.error().message();
  EXPECT_NE(refused.error().message().find("Too many open files"), std::string::npos);
  EXPECT_EQ(run_on_terminal("echo on"), "on\r\n");
}

TEST_F(OnTerminal, TwoHundredLeaveNothingOpen) {
  run_on_terminal("true");
  run("true");
  const std::size_t before = open_descriptors();
  for (int i = 0; i < 200; ++i) {
    const auto run = on_terminal(i % 2 == 0 ? "true" : "read line");
    if (i % 2 != 0) type(*run, "x\n");
    ASSERT_TRUE(ends(*run)) << shown(*run);
  }
  EXPECT_TRUE(until([&] { return open_descriptors() <= before; })) << open_descriptors();
}

}  // namespace
}  // namespace talaria::runner
