// Sessions: however many there are, few are in memory, and the rest is as it was.
#include "runner/sessions.h"

#include <gtest/gtest.h>

#include "runner/runner_parts.h"
#include "testing/runner/run_fixture.h"

namespace talaria::runner {
namespace {

class SessionsTest : public RunFixture {
 protected:
  SessionsTest()
      : parts_(loop_, *host_, {.directory = root_, .instance = "i"}),
        sessions_(parts_.sessions()) {}
  ~SessionsTest() override { parts_.shut_down(); }

  std::shared_ptr<talaria::runner::Run> start_in(const std::string& session,
                                                 const std::string& command) {
    RunRequest asked = request(command);
    asked.spec.session = session;
    return sessions_.get(session).start(std::move(asked)).value();
  }
  std::string run_in(const std::string& session, const std::string& command) {
    const auto run = start_in(session, command);
    EXPECT_TRUE(ends(*run)) << shown(*run);
    return shown(*run);
  }
  void use_others(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) sessions_.get("other" + std::to_string(i));
  }

  RunnerParts parts_;
  Sessions& sessions_;
};

// Each command sorted all that the runner had ever seen.
TEST_F(SessionsTest, OnlyTheLastUsedAreInMemory) {
  run_in("first", "export A=kept; cd /");
  use_others(10 * kMaxIdleSessions);
  EXPECT_EQ(sessions_.size(), kMaxIdleSessions);
  EXPECT_EQ(run_in("first", "echo $A; pwd"), "kept\n/\n");
  EXPECT_EQ(sessions_.size(), kMaxIdleSessions);
}

TEST_F(SessionsTest, OneThatRunsACommandStays) {
  const auto run = start_in("busy", "export A=changed; sleep 300");
  const Session* busy = &sessions_.get("busy");
  use_others(2 * kMaxIdleSessions);
  EXPECT_EQ(&sessions_.get("busy"), busy);
  EXPECT_EQ(sessions_.size(), kMaxIdleSessions + 1);
  run->kill(link::Ended::killed, std::chrono::milliseconds(0));
  EXPECT_TRUE(ends(*run));
}

TEST_F(SessionsTest, AWarmShellGoesWithItsSession) {
  run_in("warm", "true");
  while (sessions_.get("warm").refill_one()) {
  }
  EXPECT_EQ(sessions_.warm_shells(), kWarmShellsPerSession);
  use_others(kMaxIdleSessions);
  EXPECT_EQ(sessions_.warm_shells(), 0u);
}

TEST_F(SessionsTest, AnEndedOneIsNotOnDiskEither) {
  run_in("first", "export A=kept");
  ASSERT_TRUE(sessions_.end("first"));
  EXPECT_EQ(sessions_.size(), 0u);
  EXPECT_EQ(run_in("first", "echo \"<$A>\""), "<>\n");
}

}  // namespace
}  // namespace talaria::runner
