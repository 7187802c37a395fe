#include "link/ledger.h"

#include <string>

#include <gtest/gtest.h>

namespace talaria::link {
namespace {

using Verdict = StartLedger::Verdict;

LinkId link(char name) {
  LinkId id;
  id.bytes[0] = name;
  return id;
}

TEST(StartLedger, ASecondCopyIsKnownUnderTheFirstProcess) {
  StartLedger ledger;
  EXPECT_EQ(ledger.begin(link('a'), 1, "s1", "p1").verdict, Verdict::fresh);
  const StartLedger::Begin again = ledger.begin(link('a'), 1, "s1", "p2");
  EXPECT_EQ(again.verdict, Verdict::known);
  EXPECT_EQ(again.process, "p1");
}

TEST(StartLedger, AnIdIsOneStartWhateverLinkItComesOver) {
  StartLedger ledger;
  ledger.begin(link('a'), 1, "s1", "p1");
  EXPECT_EQ(ledger.begin(link('b'), 9, "s1", "p2").verdict, Verdict::known);
}

TEST(StartLedger, AFinishedStartStaysKnownUntilItIsEvicted) {
  StartLedger ledger(2);
  ledger.begin(link('a'), 1, "s1", "p1");
  ledger.finished("s1");
  EXPECT_EQ(ledger.begin(link('a'), 1, "s1", "p9").verdict, Verdict::known);
  ledger.begin(link('a'), 2, "s2", "p2");
  EXPECT_EQ(ledger.begin(link('a'), 3, "s3", "p3").verdict, Verdict::fresh);  // evicts s1
  EXPECT_EQ(ledger.begin(link('a'), 1, "s1", "p9").verdict, Verdict::expired);
  EXPECT_EQ(ledger.size(), 2u);
}

TEST(StartLedger, OneThatBeginsAgainIsNotEvictedUntilItEnds) {
  StartLedger ledger(1);
  ledger.begin(link('a'), 1, "s1", "p1");
  ledger.finished("s1");
  ledger.begin_again("s1");
  EXPECT_TRUE(ledger.has_unfinished(link('a')));
  EXPECT_EQ(ledger.begin(link('a'), 2, "s2", "p2").verdict, Verdict::full);
  ledger.finished("s1");
  EXPECT_FALSE(ledger.has_unfinished(link('a')));
  EXPECT_EQ(ledger.begin(link('a'), 2, "s2", "p2").verdict, Verdict::fresh);
}

TEST(StartLedger, EvictsTheOldestEndFirstAndNeverARunningStart) {
  StartLedger ledger(3);
  ledger.begin(link('a'), 1, "s1", "p1");  // runs all the time
  ledger.begin(link('a'), 2, "s2", "p2");
  ledger.begin(link('a'), 3, "s3", "p3");
  ledger.finished("s3");
  ledger.finished("s2");
  EXPECT_EQ(ledger.begin(link('a'), 4, "s4", "p4").verdict, Verdict::fresh);  // evicts s3
  EXPECT_EQ(ledger.begin(link('a'), 3, "s3", "p9").verdict, Verdict::expired);
  EXPECT_EQ(ledger.begin(link('a'), 1, "s1", "p9").verdict, Verdict::known);
  EXPECT_EQ(ledger.begin(link('a'), 2, "s2", "p9").verdict, Verdict::known);
}

TEST(StartLedger, IsFullWhenNothingCanBeEvicted) {
  StartLedger ledger(1);
  ledger.begin(link('a'), 1, "s1", "p1");
  EXPECT_EQ(ledger.begin(link('a'), 2, "s2", "p2").verdict, Verdict::full);
  ledger.finished("s1");
  EXPECT_EQ(ledger.begin(link('a'), 2, "s2", "p2").verdict, Verdict::fresh);
}

// The start that arrives is itself the reason for an eviction that raises the watermark above it.
TEST(StartLedger, RefusesAStartOvertakenByTheOneItWouldEvict) {
  StartLedger ledger(1);
  ledger.begin(link('a'), 5, "s5", "p5");
  ledger.finished("s5");
  EXPECT_EQ(ledger.begin(link('a'), 4, "s4", "p4").verdict, Verdict::expired);
}

TEST(StartLedger, LinksHaveTheirOwnWatermarks) {
  StartLedger ledger(1);
  ledger.begin(link('a'), 100, "a100", "p1");
  ledger.finished("a100");
  EXPECT_EQ(ledger.begin(link('b'), 1, "b1", "p2").verdict, Verdict::fresh);
  ledger.finished("b1");
  EXPECT_EQ(ledger.begin(link('b'), 2, "b2", "p3").verdict, Verdict::fresh);
}

TEST(StartLedger, KnowsWhichLinksHaveSomethingRunning) {
  StartLedger ledger;
  EXPECT_FALSE(ledger.has_unfinished(link('a')));
  ledger.begin(link('a'), 1, "s1", "p1");
  EXPECT_TRUE(ledger.has_unfinished(link('a')));
  ledger.finished("s1");
  ledger.finished("s1");
  ledger.finished("never heard of");
  EXPECT_FALSE(ledger.has_unfinished(link('a')));
}

TEST(StartLedger, AForgottenLinkLeavesItsStartIdsKnown) {
  StartLedger ledger(2);
  ledger.begin(link('a'), 1, "s1", "p1");
  ledger.finished("s1");
  ledger.forget_link(link('a'));
  EXPECT_EQ(ledger.begin(link('b'), 1, "s1", "p9").verdict, Verdict::known);
  ledger.begin(link('b'), 2, "s2", "p2");
  ledger.begin(link('b'), 3, "s3", "p3");  // evicts s1, whose link is gone
  EXPECT_FALSE(ledger.has_unfinished(link('a')));
}

}  // namespace
}  // namespace talaria::link
