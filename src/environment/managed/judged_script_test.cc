#include "environment/managed/judged_script.h"

#include <gtest/gtest.h>

namespace talaria::environment::managed {
namespace {

TEST(JudgedScript, HasTheCommandAsOneWordOfEval) {
  const std::string text =
      judged_script({.nonce = "n0nce", .id = "1", .spec = {.command = "echo 'it'; ls"}});
  EXPECT_TRUE(text.ends_with("\neval 'echo '\\''it'\\''; ls'\n")) << text;
  EXPECT_FALSE(text.contains(".talaria-session")) << "without a session nothing is kept";
}

TEST(JudgedScript, GoesWhereTheCommandIsToRun) {
  const std::string text = judged_script(
      {.nonce = "n0nce",
       .id = "1",
       .spec = {.command = "ls", .session = "s", .workdir = "a b", .first_cwd = "~/x"}});
  EXPECT_TRUE(text.contains("builtin cd -- \"${HOME:-/}\"/'x' 2>/dev/null\n")) << text;
  EXPECT_TRUE(text.contains("builtin cd -- 'a b' || exit 126\n")) << text;
  EXPECT_TRUE(text.contains(".talaria-session-")) << text;
}

}  // namespace
}  // namespace talaria::environment::managed
