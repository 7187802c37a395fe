// The completions and the manual page that the build wrote, in the shells and by the formatter they
// are for.
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>

#include "support/talaria_test.h"
#include "support/terminal.h"

namespace talaria::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::string kShare = TALARIA_SHARE;

constexpr const char* kTargets =
    "local\ndocker\npodman\nsingularity\nssh\ncarrier\nmanaged\nmodal\ndaytona\n";

class CompletionTest : public TalariaTest {
 protected:
  CompletionTest() {
    const std::string program = World::talaria();
    world_.set("PATH", program.substr(0, program.rfind('/')) + ":/usr/bin:/bin");
    world_.directory("work/some-directory");
    world_.set("TERM", "dumb");
  }

  Finished run(std::vector<std::string> argv) {
    Program program({.argv = std::move(argv), .env = world_.env(), .cwd = world_.path("work")});
    const auto status = program.wait();
    if (!status) throw std::runtime_error("it does not end");
    return {*status, program.out(), program.err()};
  }

  // Each returns what is offered for the line, one per line or blank.
  std::string bash(const std::string& line) {
    return run({"/usr/bin/bash", "--norc", "-c",
                R"(. "$1"; line=$2
                   COMP_LINE=$line COMP_POINT=${#line}
                   # As readline splits it: at blanks and around "=".
                   read -ra COMP_WORDS <<<"${line//=/ = }"
                   [[ $line == *" " ]] && COMP_WORDS+=("")
                   COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
                   compopt() { :; }  # which only works while readline asks
                   _talaria; printf '%s\n' "${COMPREPLY[@]}")",
                "bash", kShare + "/bash-completion/completions/talaria", line})
        .out;
  }

  std::string fish(const std::string& line) {
    return run({"/usr/bin/fish", "--no-config", "-c",
                "source " + kShare + "/fish/vendor_completions.d/talaria.fish; complete -C '" +
                    line + "'"})
        .out;
  }

  // Types the line, then Tab, in a zsh that lists what it would offer, until `last` was listed.
  std::string zsh(const std::string& line, const std::string& last) {
    Program program(on_terminal(world_, "exec zsh -f -i", 100));
    program.write("PS1='ready''> ' LISTMAX=1000; fpath=(" + kShare +
                  "/zsh/site-functions $fpath); autoload -Uz compinit; compinit -u -D; "
                  "bindkey '^I' list-choices\n");
    EXPECT_TRUE(program.read_until_contains("ready> ")) << program.out();
    const std::size_t before = program.out().size();
    program.write(line + "\t");
    EXPECT_TRUE(program.read_until([&] {
      return program.out().find(last, before + line.size()) != std::string::npos;
    })) << program.out();
    program.write(
        "\x15"
        "exit\n");
    EXPECT_TRUE(program.wait());
    return program.out().substr(before + line.size());
  }
};

TEST_F(CompletionTest, InBash) {
  EXPECT_EQ(bash("talaria e"), "exec\nevents\nenv\n");
  EXPECT_EQ(bash("talaria exec --ta"), "--task\n--target\n");
  EXPECT_EQ(bash("talaria exec --target "), kTargets);
  EXPECT_EQ(bash("talaria exec --target=l"), "local\n");
  EXPECT_EQ(bash("talaria exec --target="), kTargets);
  EXPECT_EQ(bash("talaria exec --workdir so"), "some-directory\n");
  EXPECT_EQ(bash("talaria exec printen"), "printenv\n");
  EXPECT_EQ(bash("talaria exec ls so"), "some-directory\n");
  EXPECT_EQ(bash("talaria call "),
            "terminal\nprocess\nread_file\nwrite_file\nsearch_files\npatch\nexecute_code\nweb_"
            "extract\n");
  EXPECT_EQ(bash("talaria env "), "list\nshow\nrm\noverride\n");
  EXPECT_EQ(bash("talaria env show "), "\n");
  world_.exec("true");
  EXPECT_EQ(bash("talaria env show "), "local\n");
  EXPECT_EQ(bash("talaria env override blog cw"), "cwd=\n");
  EXPECT_EQ(bash("talaria env override blog cwd=so"), "some-directory\n");
  EXPECT_EQ(bash("talaria env override blog env_type="), kTargets);
  EXPECT_EQ(bash("talaria env override blog cwd=/ env_type=l"), "local\n");
  EXPECT_EQ(bash("talaria exec --workdir=so"), "some-directory\n");
  EXPECT_EQ(bash("talaria completion "), "bash\nzsh\nfish\nman\nmarkdown\n");
  EXPECT_EQ(bash(World::talaria() + " vers"), "version\n");
}

TEST_F(CompletionTest, ProcessesAreOfferedWithTheirCommandsAndNothingIsStartedForIt) {
  EXPECT_EQ(bash("talaria logs "), "\n");
  EXPECT_FALSE(std::filesystem::exists(world_.path("home")));
  const std::string first = trim_end(world_.run({"start", "sleep 100"}).out);
  const std::string second = trim_end(world_.run({"start", "true"}).out);
  EXPECT_EQ(bash("talaria logs "), second + "\n" + first + "\n");
  EXPECT_EQ(bash("talaria kill " + first + " " + second), second + "\n");
  EXPECT_EQ(bash("talaria attach proc_"), second + "\n" + first + "\n");
  EXPECT_THAT(fish("talaria wait "), HasSubstr(first + "\tsleep 100\n"));
  EXPECT_THAT(zsh("talaria logs ", "sleep 100"), HasSubstr(second));
  EXPECT_EQ(world_.run({"kill", "--all"}).code(), 0);
}

TEST_F(CompletionTest, InFish) {
  EXPECT_THAT(fish("talaria e"), AllOf(HasSubstr("exec\tRun a command and show its output\n"),
                                       HasSubstr("env\tManage environments")));
  EXPECT_EQ(fish("talaria exec --js"), "--json\tPrint the result of the terminal tool as JSON\n");
  EXPECT_EQ(fish("talaria exec --target "),
            "carrier\ndaytona\ndocker\nlocal\nmanaged\nmodal\npodman\nsingularity\nssh\n");
  EXPECT_THAT(fish("talaria exec --workdir so"), HasSubstr("some-directory/"));
  EXPECT_THAT(fish("talaria exec printen"), HasSubstr("printenv"));
  EXPECT_EQ(fish("talaria completion "), "bash\nfish\nman\nmarkdown\nzsh\n");
}

TEST_F(CompletionTest, InZsh) {
  EXPECT_THAT(zsh("talaria ", "completion"),
              AllOf(HasSubstr("exec "), HasSubstr("Call a tool"), HasSubstr("version")));
  EXPECT_THAT(zsh("talaria exec --", "--help"),
              AllOf(HasSubstr("--task "), HasSubstr("--workdir"), HasSubstr("--stdin")));
  EXPECT_THAT(zsh("talaria exec --target ", "carrier"), HasSubstr("local"));
  EXPECT_THAT(zsh("talaria completion ", "fish"), AllOf(HasSubstr("bash"), HasSubstr("zsh")));
}

TEST_F(CompletionTest, OfferedTargetsAreThoseThatAreServed) {
  world_.set("TERMINAL_ENV", "moon");
  const std::string refused = world_.run({"exec", "true"}).err;
  std::istringstream targets(bash("talaria exec --target "));
  std::string list;
  for (std::string target; std::getline(targets, target);) {
    list += (list.empty() ? "" : ", ") + target;
  }
  EXPECT_THAT(refused, HasSubstr("Use one of: " + list + "."));
}

TEST_F(CompletionTest, TheManualPageIsSoundAndHasEveryOption) {
  const Finished lint =
      run({"/usr/bin/mandoc", "-Tlint", "-Wwarning", kShare + "/man/man1/talaria.1"});
  std::istringstream findings(lint.out + lint.err);
  for (std::string line; std::getline(findings, line);) {
    EXPECT_THAT(line, HasSubstr("missing date")) << "a page that is made anew has none";
  }
  const Finished page =
      run({"/usr/bin/mandoc", "-Tascii", "-Owidth=200", kShare + "/man/man1/talaria.1"});
  std::string text;  // without the overstriking that stands for bold
  for (const char character : page.out) {
    if (character == '\b') {
      text.pop_back();
    } else {
      text += character;
    }
  }
  const std::string overview = world_.run({"--help"}).out;
  std::istringstream commands(overview.substr(overview.find("Commands:")));
  std::size_t seen = 0;
  std::string line;
  for (std::getline(commands, line); std::getline(commands, line) && !line.empty();) {
    std::istringstream words(line);
    std::vector<std::string> name(1);
    words >> name[0];
    if (name[0] == "env" || name[0] == "token") words >> name.emplace_back();
    name.emplace_back("--help");
    const std::string help = world_.run(name).out;
    for (std::size_t at = help.find("\n  --"); at != std::string::npos;
         at = help.find("\n  --", at + 1)) {
      const std::string option = help.substr(at + 3, help.find("  ", at + 3) - at - 3);
      EXPECT_THAT(text, HasSubstr(trim_end(option).substr(0, option.find('\n'))));
      ++seen;
    }
  }
  EXPECT_GT(seen, 10u);
  EXPECT_THAT(text, Not(HasSubstr("\\")));
}

TEST_F(CompletionTest, TheReferencePageIsWhatTheProgramPrints) {
  std::ostringstream document;
  document << std::ifstream(TALARIA_CLI_DOCUMENT).rdbuf();
  EXPECT_EQ(document.str(), world_.run({"completion", "markdown"}).out)
      << "run `talaria completion markdown >docs/reference/cli.md`";
}

}  // namespace
}  // namespace talaria::test
