// Real programs that wait for their input, and some that only look as if.
#include "os/blocked_read.h"

#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "os/child_process.h"
#include "os/file.h"
#include "os/proc.h"
#include "os/pty.h"
#include "os/spawn.h"

namespace talaria::os {
namespace {

constexpr auto kPatience = std::chrono::seconds(20);
constexpr auto kWhile = std::chrono::milliseconds(300);

// `bash -c text` on a terminal or with a pipe as its input, and everything below it.
class BlockedRead : public testing::Test {
 protected:
  void TearDown() override {
    if (!process_) return;
    for (const pid_t pid : tree()) ::kill(pid, SIGKILL);
    process_.reset();
  }

  void on_terminal(const std::string& text) {
    auto pty = open_pty({30, 120}).value();
    input_ = input_id(pty.terminal.get());
    start(text, {}, pty.terminal.get());
    writer_ = std::move(pty.master);
  }

  void with_pipe(const std::string& text) {
    auto pipe = make_pipe().value();
    input_ = input_id(pipe.reader.get());
    start(text, {pipe.reader.get(), -1, -1}, -1);
    writer_ = std::move(pipe.writer);
  }

  void start(const std::string& text, std::vector<int> fds, int terminal) {
    pid_ = spawn_process({.path = "bash",
                          .argv = {"bash", "-c", text.c_str()},
                          .env = {"PATH=/usr/bin:/bin", "TERM=xterm", "HOME=/nonexistent"},
                          .fds = std::move(fds),
                          .terminal = terminal})
               .value();
    process_.emplace(pid_);
  }

  std::vector<pid_t> tree() const {
    std::vector<pid_t> all = descendants(pid_);
    all.insert(all.begin(), pid_);
    return all;
  }

  void drain() const {
    std::string buffer(4096, '\0');
    while (::read(writer_.get(), buffer.data(), buffer.size()) > 0) {
    }
  }

  bool blocked() const { return is_any_blocked_reading(tree(), *input_); }

  bool gets_blocked() const {
    const auto give_up = std::chrono::steady_clock::now() + kPatience;
    while (!blocked()) {
      if (std::chrono::steady_clock::now() >= give_up) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
  }

  // Not once, for a while that begins when a program called `name` is there.
  bool never_blocked(const std::string& name) const {
    const auto is_there = [&] {
      for (const pid_t pid : tree()) {
        const auto stat = read_process_stat(pid);
        if (stat && stat->name == name) return true;
      }
      return false;
    };
    while (!is_there()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const auto until = std::chrono::steady_clock::now() + kWhile;
    while (std::chrono::steady_clock::now() < until) {
      if (blocked()) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
  }

  pid_t pid_ = -1;
  std::optional<ChildProcess> process_;
  std::optional<InputId> input_;
  UniqueFd writer_;
};

TEST_F(BlockedRead, CatOfAPipe) {
  with_pipe("cat; sleep 100");
  EXPECT_TRUE(gets_blocked());
  writer_.reset();
  EXPECT_TRUE(never_blocked("sleep"));
}

TEST_F(BlockedRead, CatOfATerminal) {
  on_terminal("cat");
  EXPECT_TRUE(gets_blocked());
}

TEST_F(BlockedRead, ReadInAShell) {
  on_terminal("read -r line; sleep 100");
  EXPECT_TRUE(gets_blocked());
  ASSERT_TRUE(write_all(writer_.get(), "x\n"));
  EXPECT_TRUE(never_blocked("sleep"));
}

TEST_F(BlockedRead, ReadWithATimeout) {
  with_pipe("read -r -t 100 line");
  EXPECT_TRUE(gets_blocked());
}

TEST_F(BlockedRead, AnInteractiveShell) {
  on_terminal("bash --norc -i");
  EXPECT_TRUE(gets_blocked());
}

TEST_F(BlockedRead, APythonRepl) {
  on_terminal("python3 -q");
  EXPECT_TRUE(gets_blocked());
}

TEST_F(BlockedRead, PythonInput) {
  with_pipe("python3 -c 'input()'");
  EXPECT_TRUE(gets_blocked());
}

TEST_F(BlockedRead, APoll) {
  with_pipe("python3 -c 'import select; p = select.poll(); p.register(0, 1); p.poll(100000)'");
  EXPECT_TRUE(gets_blocked());
}

TEST_F(BlockedRead, ASelect) {
  with_pipe("python3 -c 'import select; select.select([0], [], [], 100)'");
  EXPECT_TRUE(gets_blocked());
}

TEST_F(BlockedRead, AnEpoll) {
  with_pipe("python3 -c 'import select; e = select.epoll(); e.register(0, 1); e.poll(100)'");
  EXPECT_TRUE(gets_blocked());
}

TEST_F(BlockedRead, AThreadThatReads) {
  with_pipe(
      "python3 -c 'import threading, sys, time\n"
      "threading.Thread(target=sys.stdin.readline).start()\ntime.sleep(100)'");
  EXPECT_TRUE(gets_blocked());
}

// A pager reads its text from a pipe and its keys from /dev/tty.
TEST_F(BlockedRead, ThroughTheNameOfTheControllingTerminal) {
  on_terminal("read -r line < /dev/tty");
  EXPECT_TRUE(gets_blocked());
}

TEST_F(BlockedRead, Less) {
  on_terminal("seq 1 1000 | less");
  EXPECT_TRUE(gets_blocked());
}

TEST_F(BlockedRead, NotASleep) {
  on_terminal("sleep 100");
  EXPECT_TRUE(never_blocked("sleep"));
}

TEST_F(BlockedRead, NotABusyLoop) {
  on_terminal("while :; do :; done");
  EXPECT_TRUE(never_blocked("bash"));
}

TEST_F(BlockedRead, NotAReadOfSomethingElse) {
  on_terminal("sleep 100 | cat");
  EXPECT_TRUE(never_blocked("cat"));
}

TEST_F(BlockedRead, NotAPollOfSomethingElse) {
  with_pipe(
      "exec python3 -c 'import os, select; r, w = os.pipe(); select.select([r], [0], [], 0)\n"
      "p = select.poll(); p.register(r, 1); p.poll(100000)'");
  EXPECT_TRUE(never_blocked("python3"));
}

TEST_F(BlockedRead, NotAnEpollOfSomethingElse) {
  with_pipe(
      "exec python3 -c 'import os, select; r, w = os.pipe(); e = select.epoll()\n"
      "e.register(r, 1); e.poll(100)'");
  EXPECT_TRUE(never_blocked("python3"));
}

TEST_F(BlockedRead, NotAProcessThatIsGone) {
  const auto input = input_id(0);
  ASSERT_TRUE(input);
  EXPECT_FALSE(is_blocked_reading(0x7ffffff0, *input));
}

}  // namespace
}  // namespace talaria::os
