// The runner for aarch64, under qemu's user-mode emulation: it serves a home here, and talaria,
// which finds it there, cannot tell it from its own. (The shells it starts are this machine's.)
#include <sys/stat.h>

#include <csignal>
#include <fstream>

#include "support/talaria_test.h"

namespace talaria::test {
namespace {

constexpr const char* kEmulator = "/usr/bin/qemu-aarch64-static";

class Aarch64Test : public TalariaTest {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kEmulator)) GTEST_SKIP() << "no " << kEmulator;
    // Under the emulator /proc/self/exe is the emulator, so the runner is told how to start itself.
    program_ = world_.path("talaria-runner");
    std::ofstream(program_) << "#!/bin/sh\nexec " << kEmulator << " " << TALARIA_AARCH64_RUNNER
                            << " \"$@\"\n";
    ::chmod(program_.c_str(), 0755);
    for (const char* part :
         {"home", "home/talaria", "home/talaria/run", "home/talaria/run/local"}) {
      ::mkdir(world_.path(part).c_str(), 0700);
    }
    const Finished started = start({"serve", world_.runner_directory(), "60"});
    ASSERT_TRUE(started.out.starts_with("ready ")) << started.out << started.err;
  }

  Finished start(std::vector<std::string> words) {
    ProgramSpec spec = world_.spec({});
    spec.argv = {program_};
    spec.argv.insert(spec.argv.end(), words.begin(), words.end());
    spec.env.push_back("TALARIA_RUNNER_PROGRAM=" + program_);
    Program program(spec);
    program.read_until_contains("\n");
    const auto status = program.wait();
    return {status.value_or(Signaled{SIGALRM}), program.out(), program.err()};
  }

  std::string program_;
};

TEST_F(Aarch64Test, RunsACommand) {
  const Finished one = world_.exec("echo from here; exit 3");
  EXPECT_EQ(one.out, "from here\n") << one.err;
  EXPECT_EQ(one.code(), 3);
  // It was the one under the emulator that did.
  const auto line =
      std::filesystem::read_symlink("/proc/" + std::to_string(world_.runner()->pid()) + "/exe");
  EXPECT_EQ(line.filename(), std::filesystem::canonical(kEmulator).filename());
}

TEST_F(Aarch64Test, KeepsASession) {
  LinesClient agent(world_);
  agent.run("cd /usr; export A=kept; f() { echo f; }");
  EXPECT_EQ(output_of(agent.run("pwd; echo $A; f")), "/usr\nkept\nf");
}

// (The emulator has no subreapers, so an orphan is not caught here as it is on a real machine.)
TEST_F(Aarch64Test, KillsACommandThatIgnoresTerm) {
  LinesClient agent(world_);
  const int id = agent.send({.command = "trap '' TERM; echo $$ > ../pid; exec sleep 300"});
  const ProcessName shell = process_in("pid");
  ASSERT_GT(shell.pid, 0);
  agent.cancel(id);
  EXPECT_EQ(code_of(agent.result(id)), 130);
  EXPECT_FALSE(is_alive(shell));
}

TEST_F(Aarch64Test, PassesMegabytesOn) {
  EXPECT_EQ(world_.exec("seq 1 200000").out.size(), 1'288'895u);
}

}  // namespace
}  // namespace talaria::test
