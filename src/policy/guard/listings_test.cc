#include "policy/guard/listings.h"

#include <gmock/gmock.h>

#include "policy/guard/guard.h"

namespace talaria::guard {
namespace {

Judgement judge_at_work(std::string_view text) {
  return judge(text, {.home = "/home/alice", .directory = "/home/alice/proj"});
}

// The words of the last command that a text runs, as a person sees them.
std::vector<std::string> last_words(std::string_view text) {
  const Judgement judgement = judge_at_work(text);
  return judgement.commands.empty() ? std::vector<std::string>{} : judgement.commands.back();
}

Answer answer_at_work(std::string_view text) { return judge_at_work(text).answer; }

using testing::Contains;
using testing::ElementsAre;

TEST(GuardListingsTest, WhatASearchPrintsIsBelowWhereItSearches) {
  EXPECT_THAT(last_words("cat $(find src tests -type f)"), ElementsAre("cat", "src/…", "tests/…"));
  EXPECT_THAT(last_words("cat $(find . -name '*.c' -o -name x.h)"),
              ElementsAre("cat", "./….c", "./…/x.h"));
  EXPECT_THAT(last_words("cat $(find /srv -maxdepth 1 -name x)"), ElementsAre("cat", "/srv/x"));
  EXPECT_THAT(last_words("cat $(find . -name a -prune -o -name b -print)"),
              ElementsAre("cat", "./…/b"));
  EXPECT_THAT(last_words("cat $(grep -rl --include='*.py' x src)"), ElementsAre("cat", "src/…"));
  EXPECT_THAT(last_words("cat $(grep -l x a.c b.c)"), ElementsAre("cat", "a.c", "b.c"));
  EXPECT_THAT(last_words("cat $(grep -le x -e y a.c)"), ElementsAre("cat", "a.c"));
  EXPECT_THAT(last_words("cat $(rg -l x)"), ElementsAre("cat", "./…"));
  EXPECT_THAT(last_words("cat $(rg --files /srv)"), ElementsAre("cat", "/srv/…"));
  EXPECT_THAT(last_words("cat $(fd -e py x lib)"), ElementsAre("cat", "lib/…"));
  EXPECT_THAT(last_words("cat $(ls -t)"), ElementsAre("cat", "./…"));
  EXPECT_THAT(last_words("cat $(ls ~/x/*.log)"), ElementsAre("cat", "/home/alice/x/….log"));
  EXPECT_THAT(last_words("cat $(git -C sub ls-files)"), ElementsAre("cat", "sub/…"));
  EXPECT_THAT(last_words("cat $(git diff --name-only)"), ElementsAre("cat", "./…"));
  EXPECT_THAT(last_words("cat $(locate x)"), ElementsAre("cat", "/…x…"));
}

TEST(GuardListingsTest, WhatIsNoListIsNotKnown) {
  for (const char* text : {"cat $(grep -r x src)", "cat $(git log)", "cat $(./find src)",
                           "cat $(ssh h ls /srv)", "cat $(cat list)"}) {
    EXPECT_THAT(last_words(text), ElementsAre("cat", "…")) << text;
  }
}

TEST(GuardListingsTest, PathsGoThroughPipesVariablesAndLoops) {
  for (const char* text :
       {"find lib | xargs cat", "find lib -print0 | sort -z | xargs -0 -I{} cat {}",
        "x=$(find lib); cat $x", "export x=$(find lib); cat \"$x\"",
        "for x in $(find lib); do cat \"$x\"; done", "find lib | while read -r x; do cat $x; done",
        "while read -r x; do cat $x; done < <(find lib)",
        "mapfile -t x < <(find lib); cat \"${x[@]}\"", "du -a lib | awk '{print $2}' | xargs cat",
        "find lib | parallel cat", "find lib -exec cat {} +", "fd . lib -x cat",
        "sudo find lib | head -3 | xargs cat"}) {
    EXPECT_THAT(judge_at_work(text).commands, Contains(ElementsAre("cat", "lib/…"))) << text;
  }
}

TEST(GuardListingsTest, AFoundPathIsJudgedLikeAnyOther) {
  for (const char* text :
       {"rm $(find ~ -name x)", "sed -i s/a/b/ $(grep -rl a ~/.config ~/.gitconfig)",
        "find ~/.config -name '*.json' | xargs sed -i s/a/b/",
        "while read f; do rm \"$f\"; done < <(find ~ -name x)", "cd ~/x && rm $(ls -t | tail -3)",
        "find ~/.ssh -type f | xargs cat", "find ~/.config | xargs cat", "grep -rn . ~",
        "find ~/a /srv -exec chown bob {} +"}) {
    EXPECT_EQ(answer_at_work(text), Answer::ask) << text;
  }
  for (const char* text :
       {"sed -i s/a/b/ $(grep -rl a src)", "rm $(find . -name '*.pyc')",
        "rm -rf $(find . -name __pycache__)", "find . -name x | xargs sed -i s/a/b/",
        "find ~/.config/nvim | xargs cat", "grep -rn TODO ~",
        "d=$(mktemp -d); find $d | xargs sed -i s/a/b/",
        "find . -name '*.pyc' -print0 | xargs -0 rm", "find ~/.ssh -name '*.pub' | xargs cat"}) {
    EXPECT_EQ(answer_at_work(text), Answer::allow) << text;
  }
}

// Where there are too many to follow, one may be any file.
TEST(GuardListingsTest, ManyPathsHideNone) {
  std::string many = "rm $(find";
  for (int i = 0; i < 40; ++i) many += " d" + std::to_string(i);
  EXPECT_EQ(answer_at_work(many + " -name x)"), Answer::ask);
  EXPECT_EQ(answer_at_work(many + " ~ -name x)"), Answer::ask);
  EXPECT_EQ(answer_at_work("rm $(find a b c -name x -o -name y)"), Answer::allow);
}

// Which of the found programs runs is known to nobody.
TEST(GuardListingsTest, AFoundProgramIsNotKnown) {
  EXPECT_EQ(answer_at_work("$(find . -name x) -v"), Answer::ask);
  EXPECT_EQ(answer_at_work("p=$(ls bin/* | head -1); $p"), Answer::ask);
}

}  // namespace
}  // namespace talaria::guard
