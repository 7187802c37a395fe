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
  EXPECT_EQ(digest_of({}), "");
  const std::string one = digest_of({.aliases = {{"a", "bc"}}});
  EXPECT_EQ(one.size(), 64u);
  EXPECT_EQ(one, digest_of({.aliases = {{"a", "bc"}}}));
  EXPECT_NE(one, digest_of({.aliases = {{"ab", "c"}}}));
  EXPECT_NE(one, digest_of({.functions = {{"a", "bc"}}}));
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
  EXPECT_EQ(digest_of(reach(words, find_in(reported))), digest_of(reported));

  all.functions["big"].back() = ']';
  EXPECT_NE(digest_of(reach(words, find_in(all))), digest_of(reported));
}

}  // namespace
}  // namespace talaria::shell
