// Everybody who stands in the way of a runner. That one is found and started, tests/ show.
#include "rendezvous/find_runner.h"

#include <sys/stat.h>

#include <csignal>
#include <filesystem>

#include <boost/asio/steady_timer.hpp>
#include <gtest/gtest.h>

#include "os/directory.h"
#include "os/file.h"
#include "os/file_lock.h"
#include "os/own_process.h"
#include "testing/run_to_end.h"

namespace talaria::rendezvous {
namespace {

using std::chrono::milliseconds;

class FindRunnerTest : public testing::Test {
 protected:
  FindRunnerTest() : place_{*os::make_fresh_directory("/tmp/talaria-test-")} {}
  ~FindRunnerTest() override { std::filesystem::remove_all(place_.directory); }

  // With a program that is this shell text.
  Result<os::UniqueFd> find(const std::string& program,
                            milliseconds patience = milliseconds(1000)) {
    const std::string path = place_.directory + "/program";
    EXPECT_TRUE(os::replace_file(path, "#!/bin/sh\necho $$ >\"$2/pid\"\n" + program));
    EXPECT_EQ(::chmod(path.c_str(), 0700), 0);
    RunnerSearch search{.place = place_,
                        .program = [path]() -> Result<std::string> { return path; },
                        .environment = os::own_environment(),
                        .patience = patience};
    return test::run_to_end(loop_, find_or_start_runner(std::move(search)));
  }

  std::string message_of(const Result<os::UniqueFd>& found) {
    if (found) return "found";
    EXPECT_EQ(found.error().kind(), ErrorKind::unavailable);
    return found.error().message();
  }

  // The program ran, and is gone.
  bool program_ended() const {
    const auto pid = os::read_file(place_.directory + "/pid", 64);
    return pid && ::kill(std::stoi(*pid), 0) < 0;
  }

  asio::io_context loop_{1};
  RunnerPlace place_;
};

TEST_F(FindRunnerTest, AProgramThatFailsIsQuoted) {
  EXPECT_NE(message_of(find("echo no bash")).find("no bash"), std::string::npos);
  EXPECT_NE(message_of(find("exit 1")).find("it printed nothing"), std::string::npos);
}

// Its first line was waited for without end.
TEST_F(FindRunnerTest, AProgramThatSaysNothingIsGivenUpAndEnded) {
  const std::string message = message_of(find("exec sleep 300"));
  EXPECT_NE(message.find("did not report within 1 s that it serves"), std::string::npos) << message;
  EXPECT_TRUE(program_ended());
}

TEST_F(FindRunnerTest, ARunnerThatHasThePlaceAndDoesNotAnswerIsNamed) {
  const auto held = os::try_lock_file(place_.lock());
  ASSERT_TRUE(held && *held);
  const std::string message = message_of(find("echo another runner serves here"));
  EXPECT_NE(message.find("pid " + std::to_string(::getpid())), std::string::npos) << message;
}

// The event loop stood still until the owner of the lock released it.
TEST_F(FindRunnerTest, AStartThatDoesNotGetOnHoldsNobody) {
  const auto held = os::try_lock_file(place_.start_lock());
  ASSERT_TRUE(held && *held);
  int ticks = 0;
  asio::steady_timer timer(loop_, milliseconds(50));
  timer.async_wait([&](boost::system::error_code) { ++ticks; });
  const std::string message = message_of(find("echo ready r1"));
  EXPECT_NE(message.find("pid " + std::to_string(::getpid())), std::string::npos) << message;
  EXPECT_NE(message.find("is starting one"), std::string::npos) << message;
  EXPECT_EQ(ticks, 1);
}

TEST_F(FindRunnerTest, ARunnerThatIsAboutToEndIsWaitedFor) {
  // The first one finds the place taken, the next does not.
  const std::string program =
      "[ -e \"$2/tried\" ] && echo gone at last || { >\"$2/tried\"; echo another runner serves x; "
      "}";
  EXPECT_NE(message_of(find(program, milliseconds(60'000))).find("gone at last"),
            std::string::npos);
}

}  // namespace
}  // namespace talaria::rendezvous
