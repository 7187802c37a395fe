#include "runner/word_definitions.h"

#include <gtest/gtest.h>

namespace talaria::runner {
namespace {

shell::NameMap aliases_of(const std::vector<std::string>& words, const shell::SessionState& session,
                          ShellKind shell = ShellKind::bash) {
  return definitions_of(words, session, {}, shell).aliases;
}

TEST(MetDefinitionsTest, AliasesCountWhereTheyAreExpanded) {
  shell::SessionState session;
  session.aliases["ll"] = "ls -l";
  const shell::NameMap found{{"ll", "ls -l"}};
  EXPECT_EQ(aliases_of({"ll"}, session), shell::NameMap());
  EXPECT_EQ(aliases_of({"ll"}, session, ShellKind::sh), found);
  EXPECT_EQ(aliases_of({"ll", "shopt"}, session), found);
  session.options["expand_aliases"] = true;
  EXPECT_EQ(aliases_of({"ll"}, session), found);
  EXPECT_EQ(aliases_of({"ls"}, session), shell::NameMap());
}

TEST(MetDefinitionsTest, FunctionsOfTheCallerCountUnlessTheSessionHasItsOwn) {
  shell::NameMap inherited;
  add_inherited_functions(std::vector<std::string>{"A=1", "BASH_FUNC_f%%=() { echo theirs\n}",
                                                   "BASH_FUNC_%%=() { :; }", "BASH_FUNC_g%%"},
                          inherited);
  add_inherited_functions(
      shell::NameMap{{"BASH_FUNC_f%%", "() { no; }"}, {"BASH_FUNC_h%%", "() { :\n}"}}, inherited);
  EXPECT_EQ(inherited, (shell::NameMap{{"f", "f () { echo theirs\n}"}, {"h", "h () { :\n}"}}));

  shell::SessionState session;
  EXPECT_EQ(definitions_of({"f"}, session, inherited, ShellKind::bash).functions,
            (shell::NameMap{{"f", "f () { echo theirs\n}"}}));
  session.functions["f"] = {.text = "f () { echo own; }"};
  EXPECT_EQ(definitions_of({"f"}, session, inherited, ShellKind::bash).functions,
            (shell::NameMap{{"f", "f () { echo own; }"}}));
}

TEST(MetDefinitionsTest, ASessionWithoutAnyHasNothingToMeet) {
  EXPECT_TRUE(definitions_of({"true", "f"}, {}, {}, ShellKind::bash).empty());
}

}  // namespace
}  // namespace talaria::runner
