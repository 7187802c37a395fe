#include "os/child_process.h"

#include <gtest/gtest.h>

namespace talaria::os {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(ProgramOutput, IsWhatItSaysOnBothWays) {
  const auto said = program_output({"sh", "-c", "echo out; echo err >&2; cat"}, seconds(10));
  ASSERT_TRUE(said);
  EXPECT_EQ(*said, "out\nerr\n");
}

TEST(ProgramOutput, FailsForAProgramThatIsNotThereOrDoesNotEnd) {
  EXPECT_FALSE(program_output({"no-such-program"}, seconds(10)));
  const auto late = program_output({"sh", "-c", "echo first; sleep 60"}, milliseconds(200));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().kind(), ErrorKind::timed_out);
}

TEST(ProgramOutput, IsBounded) {
  const auto said = program_output({"yes"}, seconds(10));
  ASSERT_TRUE(said);
  EXPECT_LT(said->size(), 100'000u);
}

}  // namespace
}  // namespace talaria::os
