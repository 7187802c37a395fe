// What a grant covers, and what it does not.
#include "policy/approval/grant_scope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria::policy {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kRule = "recursive delete";

GrantPlace place() {
  return {.session_key = "s",
          .target = "local",
          .task = "t",
          .directory = "/srv",
          .digest = "d1",
          .command = "rm -rf data"};
}

std::vector<std::string> names(const std::vector<GrantOffer>& offers) {
  std::vector<std::string> names;
  for (const GrantOffer& one : offers) names.push_back(one.covers);
  return names;
}

host::StoredGrant granted(std::string_view covers) {
  return grants_for({{.rule = kRule}}, place(), covers).at(0);
}

TEST(GrantScope, IsNarrowUnlessItIsWidened) {
  const struct {
    const char* change;
    void (*make)(GrantPlace&);
    const char* narrowest;  // that still covers it; empty: none
  } cases[] = {
      {"nothing", [](GrantPlace&) {}, "command"},
      {"another command", [](GrantPlace& at) { at.digest = "d2"; }, "directory"},
      {"another directory", [](GrantPlace& at) { at.directory = "/srv/x"; }, "task"},
      {"a directory that is not known", [](GrantPlace& at) { at.directory = ""; }, "task"},
      {"another task", [](GrantPlace& at) { at.task = "u"; }, "target"},
      {"another session", [](GrantPlace& at) { at.session_key = "x"; }, ""},
      {"another target", [](GrantPlace& at) { at.target = "ssh"; }, ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.change);
    GrantPlace later = place();
    c.make(later);
    bool covered = false;
    for (const char* width : {"command", "directory", "task", "target"}) {
      covered = covered || std::string_view(width) == c.narrowest;
      EXPECT_EQ(covers(granted(width), kRule, later), covered) << width;
      EXPECT_FALSE(covers(granted(width), "another rule", later)) << width;
    }
  }
}

TEST(GrantScope, TheSentencesSayExactlyThat) {
  const auto offers = grant_offers({{.rule = kRule}}, place());
  ASSERT_THAT(names(offers), ElementsAre("command", "directory", "task", "target"));
  EXPECT_EQ(offers[0].sentence,
            "exactly the command 'rm -rf data' in /srv, in task 't', at target 'local'");
  EXPECT_EQ(offers[1].sentence,
            "every command that matches the rule 'recursive delete' and starts in /srv, in task "
            "'t', at target 'local'");
  EXPECT_EQ(offers[2].sentence,
            "every command that matches the rule 'recursive delete', in any directory, in task "
            "'t', at target 'local'");
  EXPECT_EQ(offers[3].sentence,
            "every command that matches the rule 'recursive delete', in any directory, in any "
            "task, at target 'local'");
  for (const GrantOffer& one : offers) {
    EXPECT_EQ(width_of(granted(one.covers)), one.covers);
    EXPECT_EQ(sentence_of(granted(one.covers)), one.sentence);
  }
}

TEST(GrantScope, WhatIsUnclearStaysWithItsCommand) {
  const Finding unclear{.rule = "who knows", .widens = false};
  EXPECT_THAT(names(grant_offers({unclear}, place())), ElementsAre("command"));
  const Findings both{{.rule = kRule}, unclear};
  EXPECT_THAT(names(grant_offers(both, place())),
              ElementsAre("command", "directory", "task", "target"));
  const auto wide = grants_for(both, place(), "target");
  ASSERT_EQ(wide.size(), 2u) << "each rule needs its own";
  EXPECT_FALSE(wide[0].digest);
  EXPECT_EQ(wide[1].digest, "d1");
  EXPECT_EQ(wide[1].task, "t");
}

TEST(GrantScope, WithoutAKnownDirectoryNothingIsBoundToOne) {
  GrantPlace nowhere = place();
  nowhere.directory = "";
  EXPECT_THAT(names(grant_offers({{.rule = kRule}}, nowhere)), ElementsAre("task", "target"));
  EXPECT_THAT(grants_for({{.rule = kRule}}, nowhere, ""), IsEmpty());
  EXPECT_THAT(grant_offers({{.rule = "who knows", .widens = false}}, nowhere), IsEmpty());
  EXPECT_THAT(grants_for({{.rule = kRule}}, place(), "everything"), IsEmpty());
}

}  // namespace
}  // namespace talaria::policy
