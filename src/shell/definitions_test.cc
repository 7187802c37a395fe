#include "shell/definitions.h"

#include <gtest/gtest.h>

namespace talaria::shell {
namespace {

SessionDefinitions session() {
  return {.aliases = {{"ll", "ls -l"}, {"sudo", "sudo "}, {"x", "helper -v"}},
          .functions = {{"helper", "helper () \n{ \n    deep \"$@\"\n}"},
                        {"deep", "deep () \n{ \n    echo $(other)\n}"},
                        {"other", "other () \n{ \n    :\n}"},
                        {"unrelated", "unrelated () \n{ \n    ll\n}"}}};
}

TEST(DefinitionsTest, WordsReachWhatTheTextsMention) {
  const SessionDefinitions all = session();
  EXPECT_EQ(reach({"true", "ls"}, find_in(all)), SessionDefinitions());
  EXPECT_EQ(reach({"ll"}, find_in(all)).aliases, (NameMap{{"ll", "ls -l"}}));

  const SessionDefinitions reached = reach({"x"}, find_in(all));
  EXPECT_EQ(reached.aliases, (NameMap{{"x", "helper -v"}}));
  EXPECT_EQ(reached.functions.size(), 3u);
  EXPECT_FALSE(reached.functions.contains("unrelated"));
}

TEST(DefinitionsTest, SomeNamesCountForEveryCommand) {
  SessionDefinitions all{.aliases = {{"then", "reboot;"}},
                         .functions = {{"command_not_found_handle", "x () { :; }"}}};
  EXPECT_EQ(reach({"true"}, find_in(all)), all);
}

TEST(DefinitionsTest, TheDigestTellsAllOfThemApart) {
  EXPECT_EQ(digest_of_texts({}), "");
  const std::string one = digest_of_texts({.aliases = {{"a", "bc"}}});
  EXPECT_EQ(one.size(), 64u);
  EXPECT_EQ(one, digest_of_texts({.aliases = {{"a", "bc"}}}));
  EXPECT_NE(one, digest_of_texts({.aliases = {{"ab", "c"}}}));
  EXPECT_NE(one, digest_of_texts({.functions = {{"a", "bc"}}}));
}

TEST(DefinitionsTest, AJudgementIsBoundToWhatItDependsOnAndNothingElse) {
  SessionDefinitions all = session();
  all.variables = {{"A", "1"}, {"B", "2"}};
  all.directory = "/home/me";
  JudgedStart judged{.words = {"ls"}};
  judge_by(all, judged);
  EXPECT_EQ(judged.definitions, "");
  EXPECT_EQ(judged.facts, "");

  judged.variables = {"A", "C"};
  judge_by(all, judged);
  EXPECT_EQ(judged.facts, digest_of_facts({.variables = {{"A", "1"}}}));
  all.variables["B"] = "3";
  all.directory = "/";
  JudgedStart same = judged;
  judge_by(all, same);
  EXPECT_EQ(same.facts, judged.facts);

  judged.uses_directory = true;
  judge_by(all, judged);
  EXPECT_EQ(judged.facts, digest_of_facts({.variables = {{"A", "1"}}, .directory = "/"}));
  EXPECT_NE(judged.facts, same.facts);
  EXPECT_EQ(digest_of_facts({}), "");
  EXPECT_NE(digest_of_facts({.directory = "/a"}), digest_of_facts({.variables = {{"", "/a"}}}));
}

// Both ends replace the same texts, so that what one end received has the digest of the other.
TEST(DefinitionsTest, AnEndlessTextBecomesOneThatCannotBeRead) {
  SessionDefinitions all;
  for (int i = 0; i < 20; ++i) {
    const std::string name = "f" + std::to_string(i);
    all.functions[name] = name + " () { : " + std::string(60'000, 'x') + " ; }";
  }
  all.functions["big"] = "big () { f1 " + std::string(100'000, 'x') + " ; }";
  std::vector<std::string> words{"big"};
  for (int i = 0; i < 20; ++i) words.push_back("f" + std::to_string(i));

  const SessionDefinitions reported = reach(words, find_in(all));
  EXPECT_TRUE(reported.functions.at("big").starts_with("( # 100016 bytes"));
  std::size_t bytes = 0;
  for (const auto& [name, text] : reported.functions) bytes += text.size();
  EXPECT_LT(bytes, 600'000u);
  EXPECT_EQ(reported.functions.size(), 21u);
  EXPECT_EQ(digest_of_texts(reach(words, find_in(reported))), digest_of_texts(reported));

  all.functions["big"].back() = ']';
  EXPECT_NE(digest_of_texts(reach(words, find_in(all))), digest_of_texts(reported));
}

}  // namespace
}  // namespace talaria::shell
