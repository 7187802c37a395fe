// Carriers that hang. tests/carriers has those that work.
#include "environment/carrier/carried_environment.h"

#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include <gtest/gtest.h>

#include "os/file.h"
#include "testing/run_to_end.h"
#include "testing/temporary_directory.h"

namespace talaria::environment::carrier {
namespace {

using std::chrono::milliseconds;

// Says that a runner of this machine is needed, as the script it is given would.
constexpr const char* kNeedsRunner =
    "case $3 in *TALARIA-NEED*) "
    "echo \"TALARIA-NEED $(echo \"$3\" | sed 's/.*TALARIA-NEED \\([0-9a-f]*\\).*/\\1/') "
    "$(uname -m)\"; exit;; esac; ";

class CarriedEnvironmentTest : public testing::Test {
 protected:
  CarriedEnvironmentTest() { ::signal(SIGPIPE, SIG_IGN); }

  // The error of a target behind a carrier that is this shell text ($3 is the script to run there).
  Error error_of(const std::string& text) {
    const std::string program = directory_ + "/carrier";
    EXPECT_TRUE(os::replace_file(program, "#!/bin/sh\necho $$ >>" + directory_ + "/pids\n" + text));
    EXPECT_EQ(::chmod(program.c_str(), 0700), 0);
    asio::io_context loop(1);
    const auto carrier = std::make_shared<Carrier>(
        loop.get_executor(), CarrierOptions{.command = program, .patience = milliseconds(1000)});
    CarriedTarget target{.carrier = carrier, .options = {.target = "carrier"}};
    const auto made = test::run_to_end(loop, make_carried_environment(std::move(target)));
    return made ? Error(ErrorKind::system, "it worked") : made.error();
  }

  bool all_ended() const {
    const std::string pids = os::read_file(directory_ + "/pids", 4096).value_or("");
    for (std::size_t at = 0; at < pids.size(); at = pids.find('\n', at) + 1) {
      if (::kill(std::stoi(pids.substr(at)), 0) == 0) return false;
    }
    return !pids.empty();
  }

  test::TemporaryDirectory temporary_;
  const std::string directory_ = temporary_.path();
};

TEST_F(CarriedEnvironmentTest, OneThatSaysNothingIsGivenUp) {
  const Error error = error_of("echo 'looking for a host' >&2; exec sleep 300");
  EXPECT_EQ(error.kind(), ErrorKind::unavailable);
  EXPECT_NE(error.message().find("no answer in 1 s"), std::string::npos) << error.message();
  EXPECT_NE(error.message().find("looking for a host"), std::string::npos) << error.message();
  EXPECT_TRUE(all_ended());
}

// The call waited without end.
TEST_F(CarriedEnvironmentTest, OneThatDoesNotTakeTheRunnerIsGivenUp) {
  const Error error = error_of(std::string(kNeedsRunner) + "exec sleep 300");
  EXPECT_EQ(error.kind(), ErrorKind::unavailable);
  EXPECT_NE(error.message().find("took no more of the runner in 1 s"), std::string::npos)
      << error.message();
  EXPECT_TRUE(all_ended());
}

TEST_F(CarriedEnvironmentTest, OneThatTakesTheRunnerAndSaysNothingIsGivenUp) {
  const Error error = error_of(std::string(kNeedsRunner) + "cat >/dev/null; exec sleep 300");
  EXPECT_EQ(error.kind(), ErrorKind::unavailable);
  EXPECT_NE(error.message().find("no answer in 1 s"), std::string::npos) << error.message();
  EXPECT_TRUE(all_ended());
}

TEST_F(CarriedEnvironmentTest, OneThatEndsInMidUploadIsQuoted) {
  const Error error =
      error_of(std::string(kNeedsRunner) + "head -c 100 >/dev/null; echo 'disk full' >&2");
  EXPECT_EQ(error.kind(), ErrorKind::unavailable);
  EXPECT_NE(error.message().find("disk full"), std::string::npos) << error.message();
}

}  // namespace
}  // namespace talaria::environment::carrier
