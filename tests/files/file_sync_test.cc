// What of a home is shared, at a real ssh target: it is there before a command, and what the
// command changes comes back.
#include <csignal>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sha256.h"
#include "environment/carrier/carrier_environment.h"
#include "files/content.h"
#include "host/sync/synced_environment.h"
#include "support/talaria_test.h"
#include "testing/run_to_end.h"
#include "testing/temporary_directory.h"

namespace talaria::test {
namespace {

using testing::IsEmpty;

class SyncedTest : public TalariaTest, public testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    ::signal(SIGPIPE, SIG_IGN);
    const char* ssh = std::getenv("TALARIA_SSH");
    if (ssh == nullptr) GTEST_SKIP() << "no sshd for tests (tests/engines/ssh)";
    ssh_ = ssh;
    open();
  }
  void TearDown() override {
    close_stream();
    if (!ssh_.empty()) {
      const std::string end =
          ssh_ + " 'kill $(head -n 1 ~/.talaria/run/runner-v1); rm -rf ~/.talaria ~/.hermes'";
      (void)std::system(end.c_str());
    }
    TalariaTest::TearDown();
  }

  void open() {
    auto carried =
        run_to_end(*loop_, environment::carrier::make_carrier_environment(
                               {.command = ssh_, .joins_arguments = true, .batches = GetParam()},
                               {.target = "carrier", .lifetime = std::chrono::seconds(60)}));
    const host::FileSyncOptions options{
        .home = home_.path(), .always = true, .retry = std::chrono::milliseconds(10)};
    environment_ = std::make_unique<host::SyncedEnvironment>(std::move(*carried), options,
                                                             [this] { return shared_.files(); });
  }
  void close_stream() {
    environment_.reset();
    loop_->restart();
    loop_->poll();
    loop_.reset();
  }

  environment::CommandOutcome run(const std::string& command) {
    const auto outcome = run_to_end(
        *loop_, environment_->run({.command = command, .head_limit = 10'000}, CancelToken{}));
    EXPECT_TRUE(outcome) << outcome.error().message();
    return outcome.value_or(environment::CommandOutcome{});
  }

  TemporaryDirectory home_;
  host::SharedFiles shared_{{.home = home_.path(), .credential_files = {"keys/token"}}};
  std::optional<asio::io_context> loop_{std::in_place, 1};  // its descriptors end with it
  std::string ssh_;
  std::unique_ptr<host::SyncedEnvironment> environment_;
};

TEST_P(SyncedTest, FilesAreThereBeforeACommandAndChangesComeBackAtTheEnd) {
  home_.write("skills/a/SKILL.md", "skill a");
  home_.write("keys/token", "secret");
  const std::string picture = pattern(2'000'000);
  home_.write("cache/images/p.png", picture);
  const environment::CommandOutcome first =
      run("cd ~/.hermes && cat skills/a/SKILL.md keys/token && stat -c %a keys/token && "
          "sha256sum < cache/images/p.png");
  EXPECT_EQ(first.head, "skill asecret600\n" + sha256_hex(picture) + "  -\n");
  EXPECT_THAT(first.notices, IsEmpty());

  home_.write("skills/a/SKILL.md", "skill a, changed");
  home_.write("skills/b c/new file", "named 'oddly'");
  std::filesystem::remove(home_.path("cache/images/p.png"));
  EXPECT_EQ(run("cd ~/.hermes && cat skills/a/SKILL.md 'skills/b c/new file'; "
                "ls cache/images 2>&1 | wc -l")
                .head,
            "skill a, changednamed 'oddly'0\n");

  run("cd ~/.hermes && echo better > skills/a/SKILL.md && echo new > skills/a/more.md && "
      "ln -s /etc/passwd skills/a/link && mkfifo skills/a/pipe && echo renewed > keys/token && "
      "echo evil > config.yaml && echo evil > keys/other && rm 'skills/b c/new file'");
  // The last command of another program, which finds what is there.
  const auto closed = run_to_end(*loop_, environment_->close(false));
  ASSERT_TRUE(closed) << closed.error().message();
  EXPECT_EQ(home_.read("skills/a/SKILL.md"), "better\n");
  EXPECT_EQ(home_.read("skills/a/more.md"), "new\n");
  EXPECT_EQ(home_.read("keys/token"), "renewed\n");
  EXPECT_EQ(home_.read("skills/b c/new file"), "named 'oddly'");
  for (const char* none : {"config.yaml", "keys/other", "skills/a/link", "skills/a/pipe"}) {
    EXPECT_FALSE(std::filesystem::exists(home_.path(none))) << none;
  }
}

TEST_P(SyncedTest, AProcessInTheBackgroundHasThemToo) {
  home_.write("skills/a/SKILL.md", "skill a");
  const auto started = run_to_end(
      *loop_, environment_->processes().start({.command = "cat ~/.hermes/skills/a/SKILL.md"},
                                              environment::ProcessSpec{}, CancelToken{}));
  ASSERT_TRUE(started) << started.error().message();
  const auto ended = run_to_end(*loop_, environment_->processes().wait(
                                            {.id = started->id, .tail_limit = 100}, CancelToken{}));
  ASSERT_TRUE(ended) << ended.error().message();
  EXPECT_EQ(ended->tail, "skill a");
}

TEST_P(SyncedTest, NothingIsWrittenThroughALinkAtTheTarget) {
  home_.write("skills/a/SKILL.md", "skill a");
  run("mkdir -p ~/.hermes/elsewhere; rm -rf ~/.hermes/skills; ln -s elsewhere ~/.hermes/skills");
  home_.write("skills/a/SKILL.md", "skill a, changed");
  const environment::CommandOutcome refused = run("ls ~/.hermes/elsewhere | wc -l");
  EXPECT_EQ(refused.head, "0\n");
  EXPECT_THAT(refused.notices, testing::ElementsAre(testing::HasSubstr("skills: Not a directory")));
}

INSTANTIATE_TEST_SUITE_P(Ways, SyncedTest, testing::Bool(), [](const auto& way) {
  return std::string(way.param ? "Batches" : "Stream");
});

}  // namespace
}  // namespace talaria::test
