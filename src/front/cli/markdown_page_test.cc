#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "front/cli/help.h"

namespace talaria::front::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

CommandInfo sample_command() {
  return {
      .name = "env look",
      .summary = "Look at <home> for a*b",
      .usage = {"[OPTIONS] ID...", "--all"},
      .arguments = {{.name = "ID", .meaning = "Which one", .many = true, .choices = "a b"}},
      .options = {{.name = "--follow", .meaning = "Continue", .brief = "-f"},
                  {"--only", "WHAT", "This | that"}},
      .notes = "One paragraph with `<code>`.\n  as it is *\nAnother one.",
      .examples = {{"talaria env look x", "one"}, {"talaria env look --all", "all"}},
      .exit_codes = {{"0", "done"}},
  };
}

TEST(MarkdownPage, ShowsACommand) {
  const std::string page = markdown_page({sample_command()});
  EXPECT_THAT(page, HasSubstr("| [`env look`](#env-look) | Look at \\<home> for a\\*b |\n"));
  EXPECT_THAT(page, HasSubstr("\n## env look\n\nLook at \\<home> for a\\*b.\n\n```\n"
                              "talaria env look [OPTIONS] ID...\ntalaria env look --all\n```\n"));
  EXPECT_THAT(page, HasSubstr("$ talaria env look x       # one\n"
                              "$ talaria env look --all   # all\n"));
  EXPECT_THAT(page, HasSubstr("| `ID...` | Which one. One of: a, b |\n"));
  EXPECT_THAT(page, HasSubstr("| `-f, --follow` | Continue |\n"));
  EXPECT_THAT(page, HasSubstr("| `--only WHAT` | This \\| that |\n"));
  EXPECT_THAT(page, HasSubstr("\nOne paragraph with `<code>`.\n\n```\n  as it is *\n```\n\n"
                              "Another one.\n"));
  EXPECT_THAT(page, HasSubstr("| exit code | meaning |\n|---|---|\n| `0` | done |\n"));
}

TEST(MarkdownPage, LeavesOutHiddenCommands) {
  CommandInfo command = sample_command();
  command.hidden = true;
  EXPECT_THAT(markdown_page({command}), Not(HasSubstr("env look")));
}

}  // namespace
}  // namespace talaria::front::cli
