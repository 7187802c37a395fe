// The options of the commands about processes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "front/cli/command_line.h"

namespace talaria::front::cli {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;

template <class Options>
Options read(std::vector<std::string> words) {
  CommandLine line = parse_command_line(std::move(words));
  if (const auto* text = std::get_if<ShowText>(&line)) ADD_FAILURE() << text->text;
  return std::holds_alternative<Options>(line) ? std::get<Options>(line) : Options{};
}

TEST(ProcessCommandLine, StartTakesItsOptionsInFrontOfTheCommand) {
  const auto options = read<StartOptions>({"start", "--task", "t", "--pty", "--stdin", "--lifetime",
                                           "keep", "--watch", "a b", "--watch=c", "--max-age", "60",
                                           "--target", "carrier", "--", "prog", "--watch", "-x"});
  EXPECT_THAT(options.arguments, ElementsAre("prog", "--watch", "-x"));
  EXPECT_EQ(options.task, "t");
  EXPECT_TRUE(options.terminal);
  EXPECT_TRUE(options.takes_input);
  EXPECT_EQ(options.lifetime, "keep");
  EXPECT_EQ(options.max_age, 60u);
  EXPECT_THAT(options.watch_patterns, ElementsAre("a b", "c"));
  ASSERT_EQ(options.settings.size(), 1u);
  EXPECT_EQ(options.settings[0].value, "carrier");
}

TEST(ProcessCommandLine, LogsFollowByEitherName) {
  EXPECT_TRUE(read<LogsOptions>({"logs", "-f", "p"}).follow);
  EXPECT_TRUE(read<LogsOptions>({"logs", "p", "--follow"}).follow);
  EXPECT_EQ(read<LogsOptions>({"logs", "p"}).from, std::nullopt);
  EXPECT_EQ(read<LogsOptions>({"logs", "p", "--from", "0"}).from, 0u);
  EXPECT_EQ(read<LogsOptions>({"logs", "p", "--tail=5"}).tail, 5u);
  EXPECT_EQ(read<LogsOptions>({"logs", "p", "--since", "me"}).since, "me");
}

TEST(ProcessCommandLine, TheOthersHaveWhatWasSaid) {
  EXPECT_THAT(read<KillOptions>({"kill", "a", "b"}).ids, ElementsAre("a", "b"));
  EXPECT_EQ(read<KillOptions>({"kill", "a", "--signal", "hup"}).signal, 1);
  EXPECT_EQ(read<KillOptions>({"kill", "--all", "--task", "t"}).task, "t");
  EXPECT_EQ(read<WaitOptions>({"wait", "a", "--timeout", "0.5"}).timeout, milliseconds(500));
  EXPECT_EQ(read<AttachOptions>({"attach", "a"}).detach_keys, "ctrl-p,ctrl-q");
  EXPECT_EQ(read<AttachOptions>({"attach", "--detach-keys", "ctrl-]", "a"}).detach_keys, "ctrl-]");
  EXPECT_EQ(read<EventsOptions>({"events", "--since", "7"}).since, 7u);
  EXPECT_EQ(read<EventsOptions>({"events", "-f", "--consumer", "me"}).consumer, "me");
}

TEST(ProcessCommandLine, RejectsInvalidOptions) {
  const struct {
    std::vector<std::string> words;
    int code;
    const char* said;
  } cases[] = {
      {{"start"}, 2, "COMMAND is required"},
      {{"start", "--lifetime", "long", "x"},
       2,
       "--lifetime: expected one of session, keep, call, got 'long'"},
      {{"start", "--notify", "--watch", "a", "x"}, 2, "cannot be combined"},
      {{"start", "--max-age", "soon", "x"},
       2,
       "--max-age: expected a time such as 90s, 5m or 2h, got 'soon'"},
      {{"start", "--max-age", "1.5", "x"},
       2,
       "--max-age: expected a whole number of seconds, or a time such as 90s, 5m or 2h, got "
       "'1.5'"},
      {{"logs"}, 2, "ID is required"},
      {{"logs", "p", "--from", "1", "--tail", "2"}, 2, "cannot be combined"},
      {{"logs", "p", "--tail", "-1"}, 2, "--tail: expected a whole number of at least 0, got '-1'"},
      {{"logs", "p", "--since", ""}, 2, "--since: expected a name of 1 to 128 bytes, got 0 bytes"},
      {{"attach"}, 125, "ID is required"},
      {{"attach", "p", "--detach-keys", "f1"}, 125, "'f1' is not a key"},
      {{"wait"}, 125, "ID is required"},
      {{"wait", "p", "--timeout", "0"}, 125, "--timeout: expected a time above 0"},
      {{"kill"}, 2, "ID or --all is required"},
      {{"kill", "p", "--all"}, 2, "--all cannot be combined with an ID"},
      {{"kill", "p", "--task", "t"}, 2, "--task requires --all"},
      {{"kill", "p", "--signal", "SIGNOPE"}, 2, "unknown signal 'SIGNOPE'"},
      {{"events", "--consumer", "me", "--since", "3"}, 2, "cannot be combined with --since"},
      {{"events", "--consumer", ""},
       2,
       "--consumer: expected a name of 1 to 256 bytes, got 0 bytes"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(testing::PrintToString(c.words));
    const CommandLine line = parse_command_line(c.words);
    ASSERT_TRUE(std::holds_alternative<ShowText>(line));
    EXPECT_EQ(std::get<ShowText>(line).exit_code, c.code);
    EXPECT_THAT(std::get<ShowText>(line).text, HasSubstr(c.said));
  }
}

}  // namespace
}  // namespace talaria::front::cli
