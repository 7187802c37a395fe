// The runner is there, but says nothing.
#include <csignal>

#include "support/talaria_test.h"

namespace talaria::test {
namespace {

class SilentLinkTest : public TalariaTest {};

// The call waited without end.
TEST_F(SilentLinkTest, ARunnerThatStaysStoppedIsAnErrorInWordsAndNothingRuns) {
  world_.exec("true");
  const Runner runner = *world_.runner();
  runner.kill(SIGSTOP);
  const Finished refused = world_.exec("touch ../ran");
  EXPECT_EQ(refused.code(), 125);
  EXPECT_NE(refused.err.find("no answer in 10 s"), std::string::npos) << refused.err;
  runner.kill(SIGCONT);
  EXPECT_EQ(world_.exec("ls ../ran").code(), 2);
}

}  // namespace
}  // namespace talaria::test
