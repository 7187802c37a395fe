#include "tools/shown_output.h"

#include <string>

#include <gtest/gtest.h>

#include "base/text.h"

namespace talaria::tool {
namespace {

std::string repeated(std::string_view text, std::size_t count) {
  std::string out;
  while (count-- > 0) out += text;
  return out;
}

// An outcome as a runner reports it that was asked for `limits` bytes of `output`.
environment::CommandOutcome reported(const std::string& output, std::size_t max_chars) {
  environment::CommandSpec limits;
  limit_output(limits, max_chars);
  environment::CommandOutcome outcome{.total = output.size()};
  outcome.head = output.substr(0, limits.head_limit);
  const std::size_t rest = output.size() - outcome.head.size();
  outcome.tail_from = output.size() - std::min<std::size_t>(rest, limits.tail_limit);
  outcome.tail = output.substr(outcome.tail_from);
  return outcome;
}

TEST(ShownOutput, IsAllOfItUpToTheLimitInCharacters) {
  for (const std::string_view character : {"a", "é", "€", "😀"}) {
    SCOPED_TRACE(character);
    const std::string output = repeated(character, 50'000);
    const ShownOutput shown = shown_output(reported(output, 50'000), "", {50'000});
    EXPECT_FALSE(shown.cut);
    EXPECT_EQ(shown.text, output);
  }
}

TEST(ShownOutput, OverTheLimitIsTwoFifthsHeadThreeFifthsTailAndTheNotice) {
  const std::string output = "ABCD" + repeated("x", 13) + "uvwxyz";
  const ShownOutput shown = shown_output(reported(output, 10), "", {10});
  EXPECT_TRUE(shown.cut);
  EXPECT_EQ(shown.text,
            "ABCD\n\n... [OUTPUT TRUNCATED - 13 chars omitted out of 23 total] ...\n\nuvwxyz");
}

TEST(ShownOutput, OneCharacterTooManyIsCut) {
  const ShownOutput shown = shown_output(reported(repeated("a", 50'001), 50'000), "", {50'000});
  EXPECT_TRUE(shown.cut);
  EXPECT_TRUE(shown.text.contains("- 1 chars omitted out of 50001 total]"));
}

TEST(ShownOutput, CountsTheBytesNobodyCarried) {
  const ShownOutput shown = shown_output(reported(repeated("a", 1'000'000), 100), "", {100});
  EXPECT_TRUE(shown.cut);
  EXPECT_TRUE(shown.text.contains("- 999900 chars omitted out of 1000000 total]"));
}

TEST(ShownOutput, NeverShowsHalfACharacterAtTheGap) {
  // 10 characters of limit: 16 bytes of head, 24 of tail. Every shift moves the cut by one byte.
  for (std::size_t shift = 0; shift < 4; ++shift) {
    SCOPED_TRACE(shift);
    const std::string output =
        std::string(shift, 'a') + repeated("😀", 100) + std::string(shift, 'z');
    const ShownOutput shown = shown_output(reported(output, 10), "", {10});
    EXPECT_TRUE(shown.cut);
    EXPECT_TRUE(is_valid_utf8(shown.text));
    EXPECT_FALSE(shown.text.contains("\uFFFD")) << shown.text;
  }
}

TEST(ShownOutput, ReplacesBytesThatAreNoText) {
  environment::CommandOutcome outcome{.total = 4,
                                      .head = "a\xFF",
                                      .tail =
                                          "\xFE"
                                          "b",
                                      .tail_from = 2};
  EXPECT_EQ(shown_output(outcome, "", {100}).text, "a\uFFFD\uFFFDb");
}

TEST(ShownOutput, JoinsACharacterThatHeadAndTailShare) {
  environment::CommandOutcome outcome{
      .total = 3, .head = "\xE2\x82", .tail = "\xAC", .tail_from = 2};
  EXPECT_EQ(shown_output(outcome, "", {100}).text, "€");
}

TEST(ShownOutput, KeepsTheNoteAtTheEndHoweverMuchIsCut) {
  const ShownOutput shown = shown_output(reported(repeated("a", 1000), 100), "\n[note]", {100});
  EXPECT_TRUE(shown.text.ends_with("a\n[note]"));
}

}  // namespace
}  // namespace talaria::tool
