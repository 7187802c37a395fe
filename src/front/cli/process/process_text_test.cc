#include "front/cli/process/process_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria::front::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ProcessWords, SayHowItIsAndWhatToExitWith) {
  const struct {
    ProcessInfo info;
    const char* state;
    const char* end;
    int exit_code;
  } cases[] = {
      {{.exit_code = 0}, "exited 0", "exited with code 0", 0},
      {{.exit_code = 3}, "exited 3", "exited with code 3", 3},
      {{.exit_code = -11}, "SIGSEGV", "was killed by SIGSEGV", 139},
      {{.ended = ProcessEnd::killed, .exit_code = -15, .source = "max_age"},
       "killed",
       "was killed (max_age)",
       143},
      {{.ended = ProcessEnd::lost, .exit_code = -1},
       "lost",
       "was lost with its runner; its exit code is unknown",
       125},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.state);
    EXPECT_EQ(state_text(c.info), c.state);
    EXPECT_EQ(end_text(c.info), c.end);
    EXPECT_EQ(exit_code_for(c.info), c.exit_code);
  }
  EXPECT_EQ(state_text({.running = true}), "running");
  EXPECT_EQ(state_text({.running = true, .waiting_for_input = true}), "waiting for input");
}

// A command is a stranger's text: it must not control the terminal that lists it.
TEST(ProcessWords, ATableIsOneLinePerProcessWhateverItsCommand) {
  const auto now = std::chrono::system_clock::now();
  const std::string table = process_table({{.id = "proc_1",
                                            .target = "local",
                                            .command = "a\nb\x1b[2Jc",
                                            .started = now - std::chrono::seconds(65),
                                            .running = true},
                                           {.id = "proc_2",
                                            .task = "t",
                                            .target = "local",
                                            .command = "true",
                                            .finished = now + std::chrono::hours(1)}},
                                          {});
  EXPECT_EQ(std::ranges::count(table, '\n'), 3);
  EXPECT_THAT(table, HasSubstr("proc_1  running   1m 5s   -     local   a b [2Jc\n"));
  EXPECT_THAT(table, HasSubstr("proc_2  exited 0  0s ago  t     local   true\n"));
  EXPECT_THAT(table, Not(HasSubstr("\x1b")));
}

TEST(ProcessWords, JsonHasTheEndOnlyOfWhatEnded) {
  EXPECT_FALSE(process_json({.running = true}).contains("exit_code"));
  EXPECT_TRUE(process_json({.running = true}).contains("waiting_for_input"));
  const auto ended = process_json({.id = "proc_1", .ended = ProcessEnd::killed, .exit_code = -15});
  EXPECT_EQ(ended.at("exit_code"), -15);
  EXPECT_EQ(ended.at("completion_reason"), "killed");
  EXPECT_EQ(ended.at("status"), "exited");
}

}  // namespace
}  // namespace talaria::front::cli
