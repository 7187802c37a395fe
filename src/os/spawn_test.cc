// What a program finds when it is started, whatever the process that starts it looks like.
#include "os/spawn.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

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
  const int high = ::fcntl(one.writer.get(), F_DUPFD, 3);
  const UniqueFd keep(high);
  const Ended ended = run("echo out; echo err >&2", {-1, 1, high});
  EXPECT_EQ(ended.output, "out\n");
  one.writer.reset();
  EXPECT_EQ(read_line(one.reader.get()), "err");
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
