// Sessions: however many there are, few are in memory, and the rest is as it was.
#include "runner/sessions.h"

#include <chrono>
#include <thread>

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
  void refill(const std::string& session) {
    sessions_.refill_soon(session);
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
    while (std::chrono::steady_clock::now() < until) {
      loop_.restart();
      loop_.run_for(std::chrono::milliseconds(20));
    }
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
  sessions_.drop_warm_shells();
  while (sessions_.get("warm").refill_one()) {
  }
  EXPECT_EQ(sessions_.warm_shells(), kWarmShellsPerSession);
  use_others(kMaxIdleSessions);
  EXPECT_EQ(sessions_.warm_shells(), 0u);
}

// The first command of a session, or of one that only its state on disk was left of, waited for a
// start of bash.
TEST_F(SessionsTest, ANewOneOfManyTakesASpareShell) {
  use_others(kManySessions);
  run_in("first", "export A=first; f() { echo f; }; cd /usr");
  refill("first");
  EXPECT_EQ(sessions_.warm_shells(), kSpareShells);
  EXPECT_EQ(run_in("second", "echo \"<$A>\"; type -t f; pwd"), "<>\n" + root_ + "/work\n");
  EXPECT_EQ(sessions_.warm_shells(), kSpareShells - 1);
  refill("second");
  EXPECT_EQ(sessions_.warm_shells(), kSpareShells);
}

// A container has one session, most of the time.
TEST_F(SessionsTest, AFewHaveShellsOfTheirOwnAndNoneToSpare) {
  run_in("only", "true");
  refill("only");
  EXPECT_EQ(sessions_.get("only").warm_shells(), kWarmShellsPerSession);
  EXPECT_EQ(sessions_.warm_shells(), kWarmShellsPerSession);
}

// A command can see what its shell was started with.
TEST_F(SessionsTest, ASpareShellHasNothingThatOnlyAnotherCallerPassed) {
  use_others(kManySessions);
  const auto start_with = [&](const std::string& session, const shell::NameMap& more) {
    RunRequest asked =
        request("tr '\\0' '\\n' </proc/$$/environ | grep -c SECRET; env | grep -c SECRET");
    asked.spec.session = session;
    asked.caller.insert(more.begin(), more.end());
    const auto run = sessions_.get(session).start(std::move(asked)).value();
    EXPECT_TRUE(ends(*run));
    refill(session);
    return shown(*run);
  };
  EXPECT_EQ(start_with("a", {{"SECRET", "1"}}), "1\n1\n");
  EXPECT_EQ(start_with("b", {}), "0\n0\n");
  EXPECT_EQ(start_with("c", {{"SECRET", "2"}}), "0\n1\n") << "a spare one, and its own variable";
  EXPECT_EQ(start_with("d", {}), "0\n0\n");
}

// Sessions that were used once held all warm shells for ten seconds.
TEST_F(SessionsTest, OneThatIsUsedMoreOftenGetsTheirShells) {
  const auto use_twice = [&](const std::string& session) {
    run_in(session, "true");
    run_in(session, "true");
    refill(session);
  };
  use_twice("slow");
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  sessions_.limit_warm_shells(sessions_.warm_shells());
  ASSERT_EQ(sessions_.get("slow").warm_shells(), kWarmShellsPerSession);
  use_twice("quick");
  EXPECT_EQ(sessions_.get("quick").warm_shells(), kWarmShellsPerSession);
  EXPECT_EQ(sessions_.get("slow").warm_shells(), 0u);
}

TEST_F(SessionsTest, AnEndedOneIsNotOnDiskEither) {
  run_in("first", "export A=kept");
  ASSERT_TRUE(sessions_.end("first"));
  EXPECT_EQ(sessions_.size(), 0u);
  EXPECT_EQ(run_in("first", "echo \"<$A>\""), "<>\n");
}

}  // namespace
}  // namespace talaria::runner
