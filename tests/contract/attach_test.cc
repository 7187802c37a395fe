// `talaria attach` as people use it: real programs in a real terminal.
#include <fstream>

#include <gmock/gmock.h>

#include "support/talaria_test.h"
#include "support/tmux.h"

namespace talaria::test {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kVim = "vim.tiny -u NONE -n notes";
const std::string kPython = "/usr/bin/python3 -q";

class AttachTest : public TalariaTest {
 protected:
  std::string start(std::vector<std::string> words) {
    words.insert(words.begin(), "start");
    const Finished started = world_.run(words);
    EXPECT_EQ(started.code(), 0) << started.err;
    return trim_end(started.out);
  }
  std::string attach(const std::string& id) { return World::talaria() + " attach " + id; }
  // A shell in a window, which has had its prompt.
  void open_shell(Tmux& tmux, const std::string& window) {
    tmux.open(window, "PS1='ready''> ' exec bash --norc");
    ASSERT_TRUE(tmux.shows(window, "ready>"));
  }
  bool is_running(const std::string& id) { return world_.run({"ps"}).out.contains(id); }
  // All settings of the window's terminal, as the shell there has them.
  std::string settings(Tmux& tmux, const std::string& window) {
    std::filesystem::remove(world_.path("stty"));
    tmux.enter(window, "stty -g > ../stty");
    eventually([&] { return world_.read("stty").ends_with('\n'); });
    return world_.read("stty");
  }
  // What the process tool's `screen` has, as Tmux::screen() has it.
  std::string screen_of(LinesClient& agent, const std::string& id) {
    const json::object shown = agent.process({{"action", "screen"}, {"session_id", id}});
    std::string text(shown.at("screen").as_string());
    std::string trimmed;
    for (std::size_t at = 0; at < text.size();) {
      std::size_t end = std::min(text.find('\n', at), text.size());
      std::string line = text.substr(at, end - at);
      while (line.ends_with(' ')) line.pop_back();
      trimmed += line + "\n";
      at = end + 1;
    }
    while (trimmed.ends_with('\n')) trimmed.pop_back();
    return trimmed;
  }
  void end(const std::string& id) { EXPECT_EQ(world_.run({"kill", id}).code(), 0); }
};

TEST_F(AttachTest, VimIsUsedLeftAndPickedUpAgain) {
  Tmux tmux(world_);
  const std::string id = start({"--pty", kVim});
  open_shell(tmux, "w");
  const std::string before = settings(tmux, "w");
  tmux.enter("w", attach(id));
  ASSERT_TRUE(tmux.shows("w", "~")) << tmux.screen("w");
  tmux.type("w", "ihello there");
  tmux.press("w", {"Escape"});
  tmux.enter("w", ":w");
  ASSERT_TRUE(appears("work/notes")) << tmux.screen("w");
  EXPECT_TRUE(eventually([&] { return world_.read("work/notes") == "hello there\n"; }));

  tmux.press("w", {"C-p", "C-q"});
  ASSERT_TRUE(tmux.shows("w", "detached from " + id)) << tmux.screen("w");
  EXPECT_THAT(tmux.screen("w"), Not(HasSubstr("~\n~")));  // the shell's screen again
  EXPECT_EQ(settings(tmux, "w"), before);
  EXPECT_TRUE(is_running(id));

  tmux.enter("w", "clear; " + attach(id) + "; echo code $?");
  ASSERT_TRUE(tmux.shows("w", "hello there\n~")) << tmux.screen("w");
  tmux.enter("w", ":q");
  EXPECT_TRUE(tmux.shows("w", id + " exited with code 0\ncode 0")) << tmux.screen("w");
  EXPECT_EQ(settings(tmux, "w"), before);
}

TEST_F(AttachTest, AReplAnswersAndItsExitCodeIsOurs) {
  Tmux tmux(world_);
  const std::string id = start({"--pty", kPython});
  open_shell(tmux, "w");
  tmux.enter("w", attach(id) + "; echo code $?");
  ASSERT_TRUE(tmux.shows("w", ">>>"));
  tmux.enter("w", "1+1");
  EXPECT_TRUE(tmux.shows("w", ">>> 1+1\n2\n>>>")) << tmux.screen("w");
  tmux.press("w", {"C-c"});  // the process's, not ours
  EXPECT_TRUE(tmux.shows("w", "KeyboardInterrupt"));
  tmux.enter("w", "exit(7)");
  EXPECT_TRUE(tmux.shows("w", "exited with code 7\ncode 7")) << tmux.screen("w");
}

TEST_F(AttachTest, TheProcessHasTheSizeOfTheWindow) {
  Tmux tmux(world_);
  const std::string id = start({"--pty", "bash --norc"});
  tmux.open("w", attach(id), 90, 25);
  const auto size_is = [&](const std::string& expected) {
    return eventually([&] {
      tmux.enter("w", "stty size > ../size");
      appears("size");
      return trim_end(world_.read("size")) == expected;
    });
  };
  EXPECT_TRUE(size_is("25 90")) << world_.read("size");
  tmux.resize("w", 70, 20);
  EXPECT_TRUE(size_is("20 70")) << world_.read("size");
  end(id);
}

TEST_F(AttachTest, AProgramThatDrawsIsDrawnAnewForTheNewSize) {
  Tmux tmux(world_);
  const std::string id = start({"--pty", kVim});
  tmux.open("w", attach(id), 90, 25);
  ASSERT_TRUE(tmux.shows("w", "~"));
  tmux.resize("w", 60, 12);
  EXPECT_TRUE(eventually([&] {
    const std::string text = tmux.screen("w");
    return std::ranges::count(text, '~') == 10;
  })) << tmux.screen("w");
  end(id);
}

TEST_F(AttachTest, SeveralAtOnceSeeTheSame) {
  Tmux tmux(world_);
  const std::string id = start({"--pty", kPython});
  tmux.open("one", attach(id) + "; echo code $?; read -r left");
  tmux.open("two", attach(id) + "; echo code $?; read -r left");
  ASSERT_TRUE(tmux.shows("one", ">>>"));
  ASSERT_TRUE(tmux.shows("two", ">>>"));
  tmux.enter("one", "'a' + 'b'");
  tmux.enter("two", "'c' + 'd'");
  for (const char* window : {"one", "two"}) {
    EXPECT_TRUE(tmux.shows(window, "'ab'")) << tmux.screen(window);
    EXPECT_TRUE(tmux.shows(window, "'cd'")) << tmux.screen(window);
  }
  tmux.press("one", {"C-p", "C-q"});
  EXPECT_TRUE(tmux.shows("one", "code 0")) << tmux.screen("one");
  tmux.enter("two", "exit(3)");
  EXPECT_TRUE(tmux.shows("two", "code 3")) << tmux.screen("two");
  EXPECT_THAT(tmux.screen("one"), Not(HasSubstr("exit(3)")));
}

TEST_F(AttachTest, AKilledClientLeavesATerminalToWorkInAndTheProcessAlive) {
  Tmux tmux(world_);
  const std::string id = start({"--pty", kPython});
  open_shell(tmux, "w");
  const std::string before = settings(tmux, "w");
  tmux.enter("w", "bash -c 'echo $$ > ../pid; exec " + attach(id) + "'");
  ASSERT_TRUE(tmux.shows("w", ">>>"));
  ::kill(process_in("pid").pid, SIGKILL);
  ASSERT_TRUE(tmux.shows("w", "Killed")) << tmux.screen("w");
  EXPECT_EQ(settings(tmux, "w"), before);
  EXPECT_TRUE(is_running(id));
  end(id);
}

TEST_F(AttachTest, ASignalGivesTheTerminalBack) {
  Tmux tmux(world_);
  const std::string id = start({"--pty", kVim});
  for (const int signal : {SIGTERM, SIGHUP, SIGINT, SIGQUIT}) {
    SCOPED_TRACE(signal);
    const std::string window = "w" + std::to_string(signal);
    open_shell(tmux, window);
    const std::string before = settings(tmux, window);
    std::filesystem::remove(world_.path("pid"));
    tmux.enter(window, "bash -c 'echo $$ > ../pid; exec " + attach(id) + "'; echo code $?");
    ASSERT_TRUE(tmux.shows(window, "~\n~")) << tmux.screen(window);
    ::kill(process_in("pid").pid, signal);
    EXPECT_TRUE(tmux.shows(window, "code " + std::to_string(128 + signal))) << tmux.screen(window);
    EXPECT_THAT(tmux.screen(window), Not(HasSubstr("~\n~")));
    EXPECT_EQ(settings(tmux, window), before);
  }
  EXPECT_TRUE(is_running(id));
  end(id);
}

TEST_F(AttachTest, GoesOnWhenTheProgramThatStartedTheProcessIsKilled) {
  Tmux tmux(world_);
  std::string id;
  {
    LinesClient agent(world_);
    id = agent.start_process(kPython, {{"pty", true}});
    tmux.open("w", attach(id));
    ASSERT_TRUE(tmux.shows("w", ">>>"));
    agent.program().kill(SIGKILL);
    agent.program().wait();
  }
  tmux.enter("w", "6*7");
  EXPECT_TRUE(tmux.shows("w", "\n42\n")) << tmux.screen("w");
  end(id);
}

TEST_F(AttachTest, WatchingChangesNothing) {
  Tmux tmux(world_);
  const std::string id = start({"--pty", kPython});
  tmux.open("w", World::talaria() + " attach --read-only " + id + "; echo code $?; read -r left",
            77, 22);
  ASSERT_TRUE(tmux.shows("w", ">>>"));
  tmux.enter("w", "print('typed' * 2)");
  tmux.open("other", attach(id), 99, 33);
  ASSERT_TRUE(tmux.shows("other", ">>>"));
  tmux.enter("other", "import os; os.get_terminal_size()");
  EXPECT_TRUE(tmux.shows("w", "columns=99, lines=33")) << tmux.screen("w");
  EXPECT_THAT(tmux.screen("other"), Not(HasSubstr("typedtyped")));
  tmux.press("w", {"C-c"});
  EXPECT_TRUE(tmux.shows("w", "code 0")) << tmux.screen("w");
  end(id);
}

TEST_F(AttachTest, OtherKeysCanBeChosenToLeave) {
  Tmux tmux(world_);
  const std::string id = start({"--pty", kPython});
  tmux.open("w", World::talaria() + " attach --detach-keys ctrl-] " + id +
                     "; echo code $?; read -r left");
  ASSERT_TRUE(tmux.shows("w", ">>>"));
  tmux.press("w", {"C-p", "C-q"});
  tmux.enter("w", "2+3");
  EXPECT_TRUE(tmux.shows("w", "\n5\n")) << tmux.screen("w");
  tmux.press("w", {"C-]"});
  EXPECT_TRUE(tmux.shows("w", "code 0")) << tmux.screen("w");
  end(id);
}

// The tool and a terminal must agree on what a program shows.
TEST_F(AttachTest, TheScreenOfTheProcessToolIsWhatATerminalShows) {
  Tmux tmux(world_);
  LinesClient agent(world_);
  const std::string vim = agent.start_process(kVim, {{"pty", true}});
  tmux.open("vim", attach(vim), 100, 30);
  ASSERT_TRUE(tmux.shows("vim", "~"));
  tmux.type("vim", "iGrüezi, 世界\tend");
  tmux.press("vim", {"Enter", "Escape"});
  tmux.type("vim", ":set number");
  tmux.press("vim", {"Enter"});
  ASSERT_TRUE(tmux.shows("vim", "  2")) << tmux.screen("vim");
  EXPECT_TRUE(eventually([&] { return screen_of(agent, vim) == tmux.screen("vim"); }))
      << screen_of(agent, vim) << "\n--- but\n"
      << tmux.screen("vim");

  const std::string python = agent.start_process(kPython, {{"pty", true}});
  tmux.open("python", attach(python), 100, 30);
  ASSERT_TRUE(tmux.shows("python", ">>>"));
  tmux.enter("python", "print('x' * 150)");
  tmux.enter("python", "[n * n for n in range(50)]");
  ASSERT_TRUE(tmux.shows("python", "2401]"));
  EXPECT_TRUE(eventually([&] { return screen_of(agent, python) == tmux.screen("python"); }))
      << screen_of(agent, python) << "\n--- but\n"
      << tmux.screen("python");
  EXPECT_EQ(world_.run({"kill", vim, python}).code(), 0);
}

TEST_F(AttachTest, WithoutATerminalInputAndOutputPassThrough) {
  const std::string id =
      start({"--stdin", "while read -r line; do echo got $line; done; echo end; exit 4"});
  const Finished attached = world_.run({"attach", id}, "one\ntwo\n");
  EXPECT_EQ(attached.out, "got one\ngot two\nend\n");
  EXPECT_EQ(attached.err, "");
  EXPECT_EQ(attached.code(), 4);
}

TEST_F(AttachTest, SaysWhyOneCannotAttach) {
  const std::string id = start({"sleep 100"});
  const Finished refused = world_.run({"attach", id});
  EXPECT_EQ(refused.code(), 125);
  EXPECT_THAT(refused.err, HasSubstr(id + " takes no input: it was started without --pty or "
                                          "--stdin. Use --read-only to watch it"));
  end(id);
  const Finished ended = world_.run({"attach", id});
  EXPECT_EQ(ended.code(), 125);
  EXPECT_THAT(ended.err, HasSubstr(id + " was killed (process.kill); talaria logs " + id));
  EXPECT_THAT(world_.run({"attach", "proc_ffffffffffff"}).err,
              HasSubstr("unknown process 'proc_ffffffffffff'"));
}

}  // namespace
}  // namespace talaria::test
