#include "tools/start_record.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "testing/fake_environment.h"
#include "testing/run_to_end.h"

namespace talaria::tool {
namespace {

class ProcessNoteTest : public testing::Test {
 protected:
  StartRecord note() {
    return {host_.journal,
            *environment_,
            {.task = "default", .environment = "local/default", .command = "serve"}};
  }
  std::optional<host::StoredProcess> found(const std::string& id) {
    return host_.journal.ledger().find(id).value();
  }

  std::shared_ptr<test::FakeTarget> fake_ = std::make_shared<test::FakeTarget>();
  host::Host host_ = fake_host(fake_, {});
  std::shared_ptr<environment::Environment> environment_ =
      *test::run_to_end(host_.environments.get("default"));
};

// A controller that is killed before it has the answer leaves a trace of what it started.
TEST_F(ProcessNoteTest, IsWrittenBeforeTheRunnerHasAnswered) {
  StartRecord one = note();
  one.sent("proc_a");
  ASSERT_TRUE(found("proc_a"));
  EXPECT_FALSE(found("proc_a")->ended);
  EXPECT_EQ(found("proc_a")->command, "serve");
  EXPECT_TRUE(test::run_to_end(one.started("proc_a")));
  EXPECT_FALSE(found("proc_a")->ended);
}

TEST_F(ProcessNoteTest, IsWrittenAtTheAnswerIfTheRequestWasNotSentAtOnce) {
  StartRecord one = note();
  EXPECT_TRUE(test::run_to_end(one.started("proc_a")));
  ASSERT_TRUE(found("proc_a"));
  EXPECT_FALSE(found("proc_a")->ended);
}

TEST_F(ProcessNoteTest, AStartThatFailedLeavesNoneThatRuns) {
  StartRecord one = note();
  one.sent("proc_a");
  one.failed();
  EXPECT_TRUE(found("proc_a")->ended);
}

TEST_F(ProcessNoteTest, OfTwoAttemptsTheLastCounts) {
  StartRecord one = note();
  one.sent("proc_a");
  one.sent("proc_b");
  EXPECT_TRUE(test::run_to_end(one.started("proc_b")));
  EXPECT_TRUE(found("proc_a")->ended);
  EXPECT_FALSE(found("proc_b")->ended);
}

}  // namespace
}  // namespace talaria::tool
