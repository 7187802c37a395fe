// A write that cannot be finished: no room, a limit on the size of files, or a runner that is
// killed in the middle. The old file is then whole, or the new one is.
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include <gmock/gmock.h>

#include "support/file_tool_test.h"

namespace talaria::test {
namespace {

using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;

class FileWriteTest : public FileToolTest {
 protected:
  // The runner then sees a small disk at work/small.
  bool start_runner_with_small_disk() {
    const std::string directory = world_.directory("work/small");
    const std::string script = "mount -t tmpfs -o mode=700,size=256k none '" + directory +
                               "' && exec '" + World::talaria() + "' exec true";
    ProgramSpec spec = world_.spec({});
    spec.argv = {"unshare", ::getuid() == 0 ? "-m" : "-rm", "sh", "-c", script};
    Program starter(spec);
    const auto status = starter.wait();
    return status && exit_code_of(*status) == 0;
  }
};

TEST_F(FileWriteTest, WithoutRoomTheOldFileIsWhole) {
  if (!start_runner_with_small_disk()) GTEST_SKIP() << "no mount namespace can be made here";
  const std::string old(60'000, 'o');
  ASSERT_FALSE(write("small/f", old).contains("error"));
  for (const std::size_t size : {210'000u, 260'000u, 1'000'000u, 3'000'000u}) {
    SCOPED_TRACE(size);
    const json::object result = write("small/f", std::string(size, 'n'));
    EXPECT_THAT(text(result, "error"), HasSubstr("No space left on device"));
    EXPECT_EQ(number(result, "bytes_written"), 0);
    EXPECT_EQ(output_of(agent().run("tr -d o < small/f | wc -c; wc -c < small/f; ls -A small")),
              "0\n60000\nf");
  }
  const json::object patched =
      apply("*** Update File: small/f\n-" + old + "\n+" + old + old + "\n*** Add File: small/g\n+" +
            std::string(150'000, 'g') + "\n");
  EXPECT_THAT(text(patched, "error"), HasSubstr("No space left on device"));
  EXPECT_EQ(output_of(agent().run("wc -c < small/f; ls -A small")), "60000\nf");
  EXPECT_FALSE(write("small/f", "short").contains("error"));
}

TEST_F(FileWriteTest, ALimitOnTheSizeOfFilesLeavesTheOldOneWhole) {
  put("f", "old");
  agent();
  const auto runner = world_.runner();
  ASSERT_TRUE(runner);
  const rlimit small{100'000, 100'000};
  ASSERT_EQ(::prlimit(runner->pid(), RLIMIT_FSIZE, &small, nullptr), 0);
  EXPECT_THAT(text(write("f", std::string(1'000'000, 'n')), "error"), HasSubstr("File too large"));
  EXPECT_EQ(on_disk("f"), "old");
  EXPECT_THAT(names(), ElementsAre("f"));
}

TEST_F(FileWriteTest, ARunnerThatIsKilledLeavesTheOldFileOrTheNewOne) {
  const std::string old = "old\n" + std::string(1'000'000, 'o');
  std::string fresh = "new\n";
  fresh.resize(20'000'000, 'n');
  for (int round = 0; round < 4; ++round) {
    SCOPED_TRACE(round);
    put("f", old);
    agent().run("true");
    const auto runner = world_.runner();
    ASSERT_TRUE(runner);
    const int call = agent().send("write_file", {{"path", at("f")}, {"content", fresh}});
    std::this_thread::sleep_for(std::chrono::milliseconds(10 * round));
    runner->kill(SIGKILL);
    agent().answer(call);
    const std::string now = on_disk("f");
    EXPECT_TRUE(now == old || now == fresh) << now.size() << " bytes";
  }
}

}  // namespace
}  // namespace talaria::test
