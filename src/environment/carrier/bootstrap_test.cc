#include "environment/carrier/bootstrap.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include <boost/asio/this_coro.hpp>
#include <gtest/gtest.h>

#include "environment/carrier/carrier_run.h"
#include "os/file.h"
#include "testing/run_to_end.h"
#include "testing/temporary_directory.h"

namespace talaria::environment::carrier {
namespace {

// A directory in /tmp, where others can put links.
class BootstrapTest : public testing::Test {
 protected:
  BootstrapTest() {
    std::filesystem::create_directory(directory_ + "/ours");
    std::filesystem::create_directory_symlink(directory_ + "/ours", directory_ + "/link");
    const std::string program = directory_ + "/ours/talaria-runner-0123456789abcdef";
    EXPECT_TRUE(os::replace_file(program, "#!/bin/sh\necho \"started in $2\"\n"));
    EXPECT_EQ(::chmod(program.c_str(), 0700), 0);
  }

  static Task<std::expected<std::string, CarrierFailure>> run_here(std::string script) {
    StartCarrier start = carrier_by(co_await asio::this_coro::executor, {.command = "env"});
    co_return co_await run_carrier(std::move(start), std::move(script), std::chrono::hours(1));
  }
  std::string said(const std::string& script) {
    const auto done = test::run_to_end(run_here("(" + script + ")"));
    return done ? *done : done.error().message;
  }
  std::string connected(const std::string& mounted, const std::string& place) {
    return said(connect_script({.places = {.mounted = mounted, .own = {directory_ + place}},
                                .digests = {"0123456789abcdef"},
                                .nonce = "n0nce",
                                .mode = "connect"}));
  }

  test::TemporaryDirectory temporary_;
  const std::string directory_ = temporary_.path();
};

// It was only looked at where a runner is put.
TEST_F(BootstrapTest, APlaceThatIsALinkIsPassedOver) {
  EXPECT_EQ(connected("", "/ours"), "started in " + directory_ + "/ours/run\n");
  EXPECT_TRUE(connected("", "/link").starts_with("TALARIA-NEED n0nce ")) << connected("", "/link");
  EXPECT_EQ(connected(directory_ + "/ours", "/new"), "started in " + directory_ + "/new/run\n");
  EXPECT_TRUE(connected(directory_ + "/ours", "/link").starts_with("TALARIA-NEED n0nce "));
}

// It took three starts of the carrier: one that found no runner, one that stored it, one that
// became it.
TEST_F(BootstrapTest, TheScriptThatFindsNoRunnerTakesItAndBecomesIt) {
  const std::string runner =
      "#!/bin/sh\n[ \"$1\" = --version ] || { umask; echo \"started in $2\"; cat; }\n" +
      std::string(100'000, '#');
  ASSERT_TRUE(os::replace_file(directory_ + "/program", runner));
  const std::string script = connect_script({.places = {.own = {directory_ + "/new"}},
                                             .digests = {"0123456789abcdef"},
                                             .nonce = "n0nce",
                                             .mode = "connect"});
  // What follows the program is for the runner; it is sent when that has begun.
  const std::string input = "{ echo 0123456789abcdef " + std::to_string(runner.size()) + "; cat " +
                            directory_ + "/program; until [ -e " + directory_ +
                            "/new/talaria-runner-0123456789abcdef ]; do sleep 0.01; done; "
                            "echo rest; }";
  const std::string output = said("umask 027; " + input + " | (" + script + ")");
  EXPECT_TRUE(output.starts_with("TALARIA-NEED n0nce ")) << output;
  EXPECT_TRUE(output.ends_with(" here\n0027\nstarted in " + directory_ + "/new/run\nrest\n"))
      << output;
}

TEST_F(BootstrapTest, ATargetMayBeginByStartingIt) {
  const std::string program = directory_ + "/ours/talaria-runner-0123456789abcdef";
  EXPECT_TRUE(os::replace_file(program, "#!/bin/sh\n[ $1 = --version ] || echo $* >$2.called\n"));
  EXPECT_EQ(::chmod(program.c_str(), 0700), 0);
  const RunnerPlaces places{.mounted = directory_ + "/ours", .own = {directory_ + "/place"}};
  const auto script = [&](const char* digest) {
    return start_script(places, {digest}, std::chrono::seconds(7)) + "; echo continues";
  };
  EXPECT_EQ(said(script("0123456789abcdef")), "continues\n");
  const std::string called = directory_ + "/place/run.called";
  EXPECT_EQ(os::read_file(called, 100).value_or("none"),
            "connect " + directory_ + "/place/run 7 start\n");
  EXPECT_EQ(said(script("another000000000")), "continues\n");
}

}  // namespace
}  // namespace talaria::environment::carrier
