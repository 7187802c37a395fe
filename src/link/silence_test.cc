#include "link/silence.h"

#include <gtest/gtest.h>

namespace talaria::link {
namespace {

using std::chrono::milliseconds;
using Verdict = Silence::Verdict;

constexpr Silence::Time at(int ms) { return Silence::Time(milliseconds(ms)); }

constexpr SilenceLimits kLimits{
    .greeting = milliseconds(100), .ask_after = milliseconds(300), .answer = milliseconds(500)};

TEST(Silence, WithoutAGreetingItIsShort) {
  Silence silence(kLimits, at(0));
  EXPECT_EQ(silence.judge(at(99)), Verdict::bear);
  EXPECT_EQ(silence.judge(at(100)), Verdict::give_up);
}

TEST(Silence, ARunnerThatGreetedIsAskedFirst) {
  Silence silence(kLimits, at(0));
  silence.greeted();
  EXPECT_EQ(silence.judge(at(299)), Verdict::bear);
  EXPECT_EQ(silence.judge(at(310)), Verdict::ask);
  EXPECT_EQ(silence.next(), at(810));
  EXPECT_EQ(silence.judge(at(809)), Verdict::bear);
  EXPECT_EQ(silence.judge(at(810)), Verdict::give_up);
}

TEST(Silence, AnythingThatComesEndsIt) {
  Silence silence(kLimits, at(0));
  silence.greeted();
  EXPECT_EQ(silence.judge(at(300)), Verdict::ask);
  silence.broken(at(790));
  EXPECT_EQ(silence.judge(at(800)), Verdict::bear);
  EXPECT_EQ(silence.judge(at(1090)), Verdict::ask);
}

TEST(Silence, WhoTakesNothingIsNotAsked) {
  Silence silence(kLimits, at(0));
  silence.greeted();
  silence.deaf(at(50));
  silence.greeted();  // said before it closed its ears
  EXPECT_EQ(silence.judge(at(149)), Verdict::bear);
  EXPECT_EQ(silence.judge(at(150)), Verdict::give_up);
}

}  // namespace
}  // namespace talaria::link
