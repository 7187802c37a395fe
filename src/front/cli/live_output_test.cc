#include "front/cli/live_output.h"

#include <signal.h>

#include <string>

#include <gtest/gtest.h>

#include "testing/pipe.h"

namespace talaria::front::cli {
namespace {

TEST(LiveOutput, WritesEveryByte) {
  test::Pipe pipe, stop;
  LiveOutput output(pipe.writer(), stop.reader());
  const std::string text(40'000, 'x');
  EXPECT_TRUE(output.write(text));
  EXPECT_EQ(pipe.read_available(), text);
}

TEST(LiveOutput, IsBrokenOnceNobodyReads) {
  ::signal(SIGPIPE, SIG_IGN);
  test::Pipe pipe, stop;
  pipe.close_reader();
  LiveOutput output(pipe.writer(), stop.reader());
  EXPECT_FALSE(output.write("x"));
  EXPECT_TRUE(output.broken());
}

// A reader that does not read once kept Ctrl-C from being seen.
TEST(LiveOutput, AStopEndsTheWaitForASlowReader) {
  test::Pipe pipe, stop;
  LiveOutput output(pipe.writer(), stop.reader());
  stop.write("!");
  EXPECT_TRUE(output.write(std::string(1 << 20, 'x')));
  EXPECT_FALSE(output.broken());
}

}  // namespace
}  // namespace talaria::front::cli
