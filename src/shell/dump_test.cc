#include "shell/dump.h"

#include <gtest/gtest.h>

namespace talaria::shell {
namespace {

using namespace std::string_literals;

const ShellDefaults kDefaults{{"braceexpand", "hashall"}, {"cmdhist", "sourcepath"}};

std::string dump(const std::string& exports, const std::string& aliases = "",
                 const std::string& names = "", const std::string& bodies = "",
                 const std::string& options = "0 braceexpand:hashall cmdhist:sourcepath") {
  const std::string nul(1, '\0');
  return nul + "N" + nul + options + nul + "0022\n" + nul + "/some/dir\n" + nul + exports + nul +
         aliases + nul + names + nul + bodies + nul + "N" + nul;
}

TEST(ParseDump, ReadsValuesAsBashQuotesThem) {
  const struct {
    const char* name;
    const char* line;
    std::string value;
  } cases[] = {
      {"double quotes", R"(export V="plain")", "plain"},
      {"escapes in double quotes", R"(export V="a\"b\\c\$d\`e")", "a\"b\\c$d`e"},
      {"a bang is bare in a dump", "export V=\"a!b\"", "a!b"},
      {"a newline inside quotes, as old bash prints it", "export V=\"a\nexport W=\\\"x\\\"\"",
       "a\nexport W=\"x\""},
      {"ansi quotes", R"(export V=$'a\nb\tc\E\'\\\001\377')", "a\nb\tc\033'\\\001\377"},
      {"empty", R"(export V="")", ""},
      {"declare form", R"(declare -rx V="x")", "x"},
      {"unicode", R"(export V="größe")", "größe"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const auto state = parse_dump(dump(c.line + "\n"s), "N", kDefaults);
    ASSERT_TRUE(state) << state.error().message();
    EXPECT_EQ(state->variables, (NameMap{{"V", c.value}}));
  }
}

TEST(ParseDump, ANameWithoutAValueAndAnArrayAreNotVariables) {
  const auto state =
      parse_dump(dump("export A\nexport -a B=([0]=\"1\")\nexport C=\"x\"\n"), "N", kDefaults);
  ASSERT_TRUE(state) << state.error().message();
  EXPECT_EQ(state->variables, (NameMap{{"C", "x"}}));
}

TEST(ParseDump, CutsFunctionsAtTheNextNameAndNotInsideAHereDocument) {
  const std::string f = "f () \n{ \n    cat <<EOF\n}\ng () \nEOF\n\n}\n";
  const std::string g = "g () \n{ \n    echo\n}\n";
  const std::string w = "function while () \n{ \n    echo\n}\n";
  const auto state = parse_dump(dump("", "", "declare -f f\ndeclare -fx g\ndeclare -f while\n",
                                     f + g + "declare -fx g\n" + w),
                                "N", kDefaults);
  ASSERT_TRUE(state) << state.error().message();
  EXPECT_EQ(state->functions.at("f"), (ShellFunction{f, false}));
  EXPECT_EQ(state->functions.at("g"), (ShellFunction{g, true}));
  EXPECT_EQ(state->functions.at("while"), (ShellFunction{w, false}));
}

// One such function once cost the session everything the command had changed.
TEST(ParseDump, FunctionsWithRedirectionsAndAttributesAreCutToo) {
  const std::string err = "err () \n{ \n    echo \"$@\"\n} 1>&2\n";
  const std::string fixed = "fixed () \n{ \n    :\n}\ndeclare -fr fixed\n";
  const std::string here = "here () \n{ \n    cat\n} <<EOF\nbody\nEOF\n\n";
  const std::string last = "last () \n{ \n    :\n}\n";
  const auto state = parse_dump(
      dump("", "", "declare -f err\ndeclare -fr fixed\ndeclare -f here\ndeclare -f last\n",
           err + fixed + here + last),
      "N", kDefaults);
  ASSERT_TRUE(state) << state.error().message();
  EXPECT_EQ(state->functions.at("err").text, err);
  EXPECT_EQ(state->functions.at("here").text, here);
  EXPECT_EQ(state->functions.at("last").text, last);
}

TEST(ParseDump, ReadsAliasesInBothModes) {
  const auto state =
      parse_dump(dump("", "alias a='b c'\nq='it'\\''s'\nalias -- -x='y'\n"), "N", kDefaults);
  ASSERT_TRUE(state) << state.error().message();
  EXPECT_EQ(state->aliases, (NameMap{{"a", "b c"}, {"q", "it's"}, {"-x", "y"}}));
}

TEST(ParseDump, KeepsOptionsThatDifferAndAreNotReset) {
  const auto state =
      parse_dump(dump("", "", "", "", "1 braceexpand:errexit:xtrace:noglob extglob:sourcepath"),
                 "N", kDefaults);
  ASSERT_TRUE(state) << state.error().message();
  const std::map<std::string, bool, std::less<>> expected{
      {"-o noglob", true}, {"-o hashall", false}, {"extglob", true}, {"cmdhist", false}};
  EXPECT_EQ(state->options, expected);
  EXPECT_EQ(state->umask, 022);
  EXPECT_EQ(state->cwd, "/some/dir");
}

TEST(ParseDump, SkipsWhatADebugTrapPrintedInFront) {
  EXPECT_TRUE(parse_dump("noise\0more"s + dump("export A=\"1\"\n"), "N", kDefaults));
}

TEST(ParseDump, OptionsThatAreNeverKeptAreAlsoAPatternForTheShell) {
  EXPECT_EQ(unsaved_options(),
            "errexit|nounset|xtrace|verbose|noexec|onecmd|restricted|posix|history");
}

TEST(ParseDump, HalfADumpIsNeverUsed) {
  const std::string whole =
      dump("export A=\"1\"\n", "alias a='b'\n", "declare -f f\n", "f () \n{ \n    :\n}\n");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(parse_dump(whole.substr(0, size), "N", kDefaults)) << size;
  }
  EXPECT_TRUE(parse_dump(whole, "N", kDefaults));
}

TEST(ParseDump, MalformedPartsAreErrors) {
  EXPECT_FALSE(parse_dump(dump("export A=\"open\n"), "N", kDefaults));
  EXPECT_FALSE(parse_dump(dump("something else\n"), "N", kDefaults));
  EXPECT_FALSE(parse_dump(dump("", "novalue\n"), "N", kDefaults));
  EXPECT_FALSE(
      parse_dump(dump("", "", "declare -f f\ndeclare -f g\n", "f () \n{ \n}\n"), "N", kDefaults));
}

}  // namespace
}  // namespace talaria::shell
