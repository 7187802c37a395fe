#include <gtest/gtest.h>

#include "front/cli/fronts.h"

namespace talaria::front::cli {
namespace {

TEST(CodeFront, TakesTheStreamsApart) {
  const ScriptText failed = script_text(
      {{"status", "error"}, {"output", "a\n\n--- stderr ---\nbye\n"}, {"error", "bye\n"}});
  EXPECT_EQ(failed.output, "a\n");
  EXPECT_EQ(failed.errors, "bye\n");
  EXPECT_EQ(failed.failure, "");

  const std::string late = "Script timed out after 1s and was killed.";
  for (const std::string before : {"", "a\n\n"}) {
    const ScriptText text =
        script_text({{"status", "timeout"}, {"output", before + "⏰ " + late}, {"error", late}});
    EXPECT_EQ(text.output, before.empty() ? "" : "a");
    EXPECT_EQ(text.errors, "");
    EXPECT_EQ(text.failure, late + " The limit is code_execution.timeout.");
  }

  const ScriptText fine = script_text({{"status", "success"}, {"output", "a\n"}});
  EXPECT_EQ(fine.output, "a\n");
  EXPECT_EQ(fine.failure, "");
  EXPECT_EQ(script_text({{"output", ""}, {"error", "no python"}}).failure, "no python");
}

}  // namespace
}  // namespace talaria::front::cli
