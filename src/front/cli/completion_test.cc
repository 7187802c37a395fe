#include "front/cli/completion.h"

#include <sstream>

#include <gtest/gtest.h>

#include "front/cli/commands/commands.h"

namespace talaria::front::cli {
namespace {

// The offered words alone, and what the shell is to look for.
std::string offered(std::vector<std::string> words) {
  std::istringstream lines(complete(Home("/nowhere"), words));
  std::string all;
  for (std::string line; std::getline(lines, line);) {
    all += (all.empty() ? "" : " ") + line.substr(0, line.find('\t'));
  }
  return all;
}

TEST(Complete, OffersWhatCouldStandThere) {
  const struct {
    std::vector<std::string> words;
    std::string expected;
  } cases[] = {
      {{}, ""},
      {{"ex"}, "exec"},
      {{"--v"}, "--version"},
      {{"nonsense", ""}, ""},
      {{"exec", "--t"}, "--task --timeout --target"},
      {{"exec", "--task", "a", "--t"}, "--timeout --target"},
      {{"exec", "--task=a", "--t"}, "--timeout --target"},
      {{"exec", "--task", "--t"}, ""},
      {{"exec", "--target", ""},
       "local docker podman singularity ssh carrier managed modal daytona"},
      {{"exec", "--target", "l"}, "local"},
      {{"exec", "--target=l"}, "--target=local"},
      {{"exec", "--workdir", "/"}, ":directories"},
      {{"exec", "--workdir=/"}, ":directories"},
      {{"exec", "l"}, ":programs"},
      {{"exec", "ls", "--ta"}, ":files"},
      {{"exec", "--json", "--", "--ta"}, ":programs"},
      {{"call", ""},
       "terminal process read_file write_file search_files patch execute_code "
       "web_extract"},
      {{"call", "terminal", ""}, ""},
      {{"call", "terminal", "{}", ""}, ""},
      {{"config", "--j"}, "--json"},
      {{"env", ""}, "list show rm override"},
      {{"env", "s"}, "show"},
      {{"env", "rm", "--"}, "--all --force --yes --json --help"},
      {{"env", "override", "t", "cw"}, "cwd="},
      {{"env", "override", "t", "env_type="},
       "env_type=local env_type=docker env_type=podman env_type=singularity env_type=ssh "
       "env_type=carrier env_type=managed env_type=modal env_type=daytona"},
      {{"env", "override", "t", "cwd=/", "env_type=l"}, "env_type=local"},
      {{"env", "override", "t", "cwd=/us"}, ":directories"},
      {{"env", "override", "t", "nothing="}, ""},
      {{"logs", "--f"}, "--follow --from"},
      {{"logs", "-f", "--f"}, "--from"},
      {{"start", "--watch", "a", "--w"}, "--workdir --watch"},
      {{"start", "--lifetime", ""}, "session keep call"},
      {{"start", "l"}, ":programs"},
      {{"kill", ""}, ""},
      {{"help", "ex"}, "exec"},
      {{"help", "exec", ""}, ""},
      {{"completion", ""}, "bash zsh fish man markdown"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(testing::PrintToString(c.words));
    EXPECT_EQ(offered(c.words), c.expected);
  }
}

TEST(Complete, SaysWhatAWordMeans) {
  EXPECT_EQ(complete(Home("/nowhere"), std::vector<std::string>{"exec", "--js"}),
            "--json\tPrint the result of the terminal tool as JSON\n");
}

TEST(Complete, OffersEveryCommandThatIsNotHidden) {
  const std::string all = " " + offered({""}) + " ";
  for (const CommandInfo& command : all_commands()) {
    const std::string word(command.name.substr(0, command.name.find(' ')));
    EXPECT_EQ(all.contains(" " + word + " "), !command.hidden) << word;
  }
}

}  // namespace
}  // namespace talaria::front::cli
