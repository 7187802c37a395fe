#include "modal/command_line.h"

#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

namespace talaria::modal {
namespace {

using Arguments = std::vector<std::string>;

TEST(ModalCommandLine, IsAVerbWithItsOptions) {
  EXPECT_TRUE(std::holds_alternative<CreateVerb>(*parse_verb({"create"})));
  EXPECT_TRUE(std::holds_alternative<VersionVerb>(*parse_verb({"version"})));
  const auto find = std::get<FindVerb>(*parse_verb({"find", "--name", "n", "--app", "a"}));
  EXPECT_EQ(find.app + find.name, "an");
  const auto snapshot = std::get<SnapshotVerb>(*parse_verb({"snapshot", "--sandbox", "sb"}));
  EXPECT_EQ(snapshot.ttl, std::chrono::hours(24 * 30));
  EXPECT_EQ(snapshot.limit, std::chrono::minutes(1));
  const auto end =
      std::get<TerminateVerb>(*parse_verb({"terminate", "--limit-s", "3", "--sandbox", "sb"}));
  EXPECT_EQ(end.limit, std::chrono::seconds(3));
}

TEST(ModalCommandLine, KeepsTheCommandAsItIs) {
  const auto exec = std::get<ExecVerb>(
      *parse_verb({"exec", "--sandbox", "sb", "--", "sh", "--sandbox", "", "--"}));
  EXPECT_EQ(exec.sandbox, "sb");
  EXPECT_EQ(exec.command, (Arguments{"sh", "--sandbox", "", "--"}));
}

TEST(ModalCommandLine, ReportsTheFirstError) {
  const struct {
    Arguments arguments;
    const char* message;
  } cases[] = {
      {{}, "a verb is missing: create, find, look, exec, snapshot, terminate or version"},
      {{"dance"},
       "'dance' is not a verb: create, find, look, exec, snapshot, terminate or version"},
      {{"look"}, "--sandbox is required"},
      {{"look", "--sandbox"}, "--sandbox: a value is missing"},
      {{"look", "--sandbox", ""}, "--sandbox is required"},
      {{"look", "sb"}, "'sb' is not an option of look"},
      {{"look", "--sandbox", "a", "--sandbox", "b"}, "--sandbox is given twice"},
      {{"look", "--sandbox", "a", "--deep", "b"}, "there is no option --deep"},
      {{"look", "--sandbox", "a", "--", "b"}, "'--' is not an option of look"},
      {{"exec", "--sandbox", "a"}, "exec: the command is missing (after --)"},
      {{"exec", "--sandbox", "a", "--"}, "exec: the command is missing (after --)"},
      {{"create", "--fast", "1"}, "there is no option --fast"},
      {{"terminate", "--sandbox", "a", "--limit-s", "0"},
       "--limit-s: a whole number of seconds is expected, not '0'"},
      {{"terminate", "--sandbox", "a", "--limit-s", "3s"},
       "--limit-s: a whole number of seconds is expected, not '3s'"},
  };
  for (const auto& c : cases) {
    const auto verb = parse_verb(c.arguments);
    ASSERT_FALSE(verb.has_value()) << c.message;
    EXPECT_EQ(verb.error().message(), c.message);
  }
}

}  // namespace
}  // namespace talaria::modal
