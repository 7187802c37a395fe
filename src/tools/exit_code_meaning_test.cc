#include "tools/exit_code_meaning.h"

#include <gtest/gtest.h>

namespace talaria::tool {
namespace {

TEST(ExitCodeMeaning, IsThatOfTheLastCommand) {
  const struct {
    const char* command;
    int code;
    const char* meaning;  // how it begins
  } cases[] = {
      {"grep x f", 1, "No matches found"},
      {"grep x f", 2, ""},
      {"grep x f", 0, ""},
      {"cat f | rg x", 1, "No matches found"},
      {"cd d && /usr/bin/egrep x f", 1, "No matches found"},
      {"LC_ALL=C grep 'a|b;c' f", 1, "No matches found"},
      {"sudo grep x f", 1, "No matches found"},
      {"(grep x f)", 1, "No matches found"},
      {"grep x f; ", 1, "No matches found"},
      {"! grep x f", 1, ""},
      {"grep x f | wc -l", 1, ""},
      {"echo $(grep x f)", 1, ""},
      {"if grep x f; then exit 1; fi", 1, ""},
      {"diff a b", 1, "Files differ"},
      {"find / -name x", 1, "Some directories"},
      {"test -f x", 1, "Condition evaluated"},
      {"[ -f x ]", 1, "Condition evaluated"},
      {"[[ -f x ]]", 1, "Condition evaluated"},
      {"curl http://x", 6, "Could not resolve"},
      {"curl http://x", 7, "Failed to connect"},
      {"curl -f http://x", 22, "HTTP response"},
      {"curl http://x", 28, "Operation timed out"},
      {"curl http://x", 1, ""},
      {"git diff --exit-code", 1, "Non-zero exit"},
      {"make", 1, ""},
      {"", 1, ""},
      {"grep 'x", 2, ""},
      {"grep x f", -9, ""},
  };
  for (const auto& c : cases) {
    const std::string_view said = exit_code_meaning(c.command, c.code);
    EXPECT_TRUE(said.starts_with(c.meaning) && said.empty() == (*c.meaning == '\0'))
        << c.command << " " << c.code << ": " << said;
  }
}

}  // namespace
}  // namespace talaria::tool
