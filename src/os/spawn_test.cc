// What a program finds when it is started, whatever the process that starts it looks like.
#include "os/spawn.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "os/file.h"

namespace talaria::os {
namespace {

struct Ended {
  std::string output;
  int status = -1;
};

Ended run(const char* script, std::vector<int> fds, SpawnSpec spec = {}) {
  Pipe output = make_pipe().value();
  for (int& fd : fds) {
    if (fd == STDOUT_FILENO) fd = output.writer.get();
  }
  spec.path = "/bin/sh";
  spec.argv = {"sh", "-c", script};
  spec.env = {"PATH=/usr/bin:/bin"};
  spec.fds = std::move(fds);
  const pid_t pid = spawn_process(spec).value();
  output.writer.reset();
  Ended ended;
  while (true) {
    char c = 0;
    if (::read(output.reader.get(), &c, 1) <= 0) break;
    ended.output += c;
  }
  ::waitpid(pid, &ended.status, 0);
  return ended;
}

TEST(SpawnProcess, GivesTheListedDescriptorsAndNoOther) {
  const UniqueFd open_here(::open("/dev/null", O_RDONLY));  // without close-on-exec
  const Ended ended = run("ls /proc/$$/fd | tr '\\n' ' '; readlink /proc/$$/fd/0", {-1, 1, 1});
  EXPECT_EQ(ended.output, "0 1 2 /dev/null\n");
}

// Each of the two is wanted where the other is.
TEST(SpawnProcess, DescriptorsMayChangePlaces) {
  Pipe one = make_pipe().value();
  Pipe other = make_pipe().value();
  const int first = ::dup(1);
  const int second = ::dup(2);
  ::dup2(one.writer.get(), 1);
  ::dup2(other.writer.get(), 2);
  const auto pid = spawn_process(
      {.path = "/bin/sh", .argv = {"sh", "-c", "echo out; echo err >&2"}, .fds = {-1, 2, 1}});
  ::dup2(first, 1);
  ::dup2(second, 2);
  ::close(first);
  ::close(second);
  ASSERT_TRUE(pid);
  ::waitpid(*pid, nullptr, 0);
  EXPECT_EQ(read_line(one.reader.get()), "err");
  EXPECT_EQ(read_line(other.reader.get()), "out");
}

// A program that is started with few descriptors allowed could not start another one.
TEST(SpawnProcess, NeedsNoDescriptorAboveThoseThatAreOpen) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  Pipe output = make_pipe().value();
  rlimit few = before;
  few.rlim_cur = static_cast<rlim_t>(std::max(output.reader.get(), output.writer.get())) + 1;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  const int fd = output.writer.get();
  const auto pid =
      spawn_process({.path = "/bin/sh", .argv = {"sh", "-c", "echo out"}, .fds = {fd, fd, fd}});
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_TRUE(pid) << pid.error().message();
  ::waitpid(*pid, nullptr, 0);
  EXPECT_EQ(read_line(output.reader.get()), "out");
}

TEST(SpawnProcess, SignalsAreUnblockedAndAtTheirDefault) {
  sigset_t usr1;
  sigemptyset(&usr1);
  sigaddset(&usr1, SIGUSR1);
  sigset_t before;
  ::pthread_sigmask(SIG_BLOCK, &usr1, &before);
  const auto hup = ::signal(SIGHUP, SIG_IGN);
  const Ended ended =
      run("grep -E '^Sig(Blk|Ign)' /proc/$$/status | tr -d '[:blank:]'", {-1, 1, 1});
  sigset_t after;
  ::pthread_sigmask(SIG_SETMASK, &before, &after);
  EXPECT_EQ(::sigismember(&after, SIGUSR1), 1);  // and ours are as they were
  EXPECT_EQ(::signal(SIGHUP, hup), SIG_IGN);
  EXPECT_EQ(ended.output, "SigBlk:0000000000000000\nSigIgn:0000000000000000\n");
}

TEST(SpawnProcess, StartsWhereAndAsItIsTold) {
  const std::string script = "pwd; set -- $(cat /proc/$$/stat); [ $6 = $$ ] && echo leader";
  EXPECT_EQ(run(script.c_str(), {-1, 1, 1}, {.cwd = "/usr"}).output, "/usr\nleader\n");
  EXPECT_EQ(run(script.c_str(), {-1, 1, 1}, {.cwd = "/", .new_session = false}).output, "/\n");
}

TEST(SpawnProcess, AProgramThatCannotBeStartedIsAnErrorAndNoZombie) {
  for (const auto& [path, cwd, code] :
       {std::tuple("/no/such/program", "/", ENOENT), std::tuple("no-such-program", "/", ENOENT),
        std::tuple("/etc/passwd", "/", EACCES), std::tuple("/bin/sh", "/no/such", ENOENT)}) {
    const auto pid = spawn_process({.path = path, .argv = {"x"}, .cwd = cwd});
    ASSERT_FALSE(pid);
    EXPECT_EQ(pid.error().code(), code) << path;
  }
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(SpawnProcess, AProgramIsLookedUpInPath) {
  const pid_t pid = spawn_process({.path = "true", .argv = {"true"}}).value();
  int status = -1;
  ::waitpid(pid, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace talaria::os
