// What a variable, a function or an argument may be at one point of a text.
#include <algorithm>

#include <gtest/gtest.h>

#include "policy/guard/guard.h"

namespace talaria::guard {
namespace {

Judgement judged(std::string_view text) { return judge(text, {.home = "/home/alice"}); }

bool saw(const Judgement& judgement, const std::vector<std::string>& words) {
  return std::ranges::find(judgement.commands, words) != judgement.commands.end();
}

TEST(GuardStateTest, BothValuesCountBehindWhatMayNotHappen) {
  for (const char* change :
       {"c && x=b", "c || x=b", "[[ $y ]] && x=b", "if c; then x=b; fi", "case $y in z) x=b;; esac",
        "while c; do x=b; done", "for i in $(c); do x=b; done", "f() { c && return; x=b; }; f",
        "c && { x=b; d; }", "f() { if c; then local x=q; fi; x=b; }; f"}) {
    const Judgement judgement = judged("x=a; " + std::string(change) + "; show \"$x\"");
    EXPECT_TRUE(saw(judgement, {"show", "a"})) << change;
    EXPECT_TRUE(saw(judgement, {"show", "b"})) << change;
  }
}

TEST(GuardStateTest, OneValueCountsWhereTheTextTells) {
  for (const char* change :
       {"true && x=b", "false || x=b", ": && x=b", "y=1 && x=b", "! false && x=b",
        "if c; then x=b; else x=b; fi", "c || exit; x=b", "(x=q); x=b", "x=b; x=q | cat",
        "x=b; x=q &", "x=b; y=$(x=q)", "x=b; f() { local x=q; }; f", "x=b; c && { x=q; exit 1; }",
        "for x in b; do :; done", "x=b; x=q true", "x=b; trap 'x=q' EXIT", "eval x=b"}) {
    const Judgement judgement = judged("x=a; " + std::string(change) + "\nshow \"$x\"");
    EXPECT_TRUE(saw(judgement, {"show", "b"})) << change;
    for (const std::vector<std::string>& words : judgement.commands) {
      if (words.front() == "show") EXPECT_EQ(words.back(), "b") << change;
    }
  }
}

TEST(GuardStateTest, BranchesAreToldApart) {
  const Judgement judgement =
      judged("if a; then x=1; elif b; then x=2; else x=3; fi; y=$x; show $y");
  EXPECT_TRUE(saw(judgement, {"show", "1"}));
  EXPECT_TRUE(saw(judgement, {"show", "2"}));
  EXPECT_TRUE(saw(judgement, {"show", "3"}));
  EXPECT_FALSE(saw(judgement, {"show", "…"}));
}

TEST(GuardStateTest, AFunctionThatMayNotBeThereIsAlsoAProgram) {
  const Judgement judgement = judged("c && show() { seen; }; show it");
  EXPECT_TRUE(saw(judgement, {"seen"}));
  EXPECT_EQ(judged("c && rm() { :; }; rm -rf /").answer, Answer::deny);
  EXPECT_EQ(judged("rm() { :; }; rm -rf /").answer, Answer::allow);
}

TEST(GuardStateTest, TheRestOfALoopSeesWhatItsOwnEndChanged) {
  EXPECT_EQ(judged("x=ls; for i in 1 2; do $x -rf /; x=rm; done").answer, Answer::deny);
  EXPECT_EQ(judged("for i in 1 2; do ${x:-ls} -rf /; x=rm; done").answer, Answer::deny);
  EXPECT_EQ(judged("x=a; for i in 1 2; do x=$x$i; done; echo $x").answer, Answer::allow);
}

TEST(GuardStateTest, WordsThatMayBeSeveralMoveThoseBehindThem) {
  EXPECT_EQ(judged("set -- $(c) ls rm; $2 -rf /").answer, Answer::ask);
  EXPECT_EQ(judged("a=(* ls rm); ${a[1]} -rf /").answer, Answer::ask);
  EXPECT_EQ(judged("set -- $(c) b; shift; $1 -rf /").answer, Answer::ask);
  EXPECT_EQ(judged("set -- \"$(c)\" rm; $2 -rf /").answer, Answer::deny);
}

TEST(GuardStateTest, MktempsFilesMayGo) {
  EXPECT_EQ(judged("d=$(mktemp -d); trap 'rm -rf \"$d\"' EXIT").answer, Answer::allow);
  EXPECT_EQ(judged("d=$(mktemp -d); c && d=x; rm -rf \"$d\"").answer, Answer::ask);
  EXPECT_EQ(judged("d=$(mktemp -d); rm -rf \"$d\"/*").answer, Answer::ask);
}

TEST(GuardStateTest, CustomaryVariablesNameTools) {
  EXPECT_TRUE(saw(judged("\"$CC\" -c x.c"), {"cc", "-c", "x.c"}));
  EXPECT_EQ(judged("$PYTHON -m pytest").answer, Answer::allow);
  EXPECT_EQ(judged("CC=$(c); $CC -c x.c").answer, Answer::ask);
  EXPECT_EQ(judged("$CC -rf /").answer, Answer::ask);
  EXPECT_EQ(judged("$TOOL -m pytest").answer, Answer::ask);
}

}  // namespace
}  // namespace talaria::guard
