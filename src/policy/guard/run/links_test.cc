#include "policy/guard/run/links.h"

#include <gtest/gtest.h>

namespace talaria::guard {
namespace {

TEST(GuardLinksTest, APathLeadsWhereItsLinksLead) {
  Links links;
  links.add("/p/a", "/home/x", true);
  links.add("/p/b", "a/d", true);  // relative to where it is
  links.add("/p/m", "/srv", true, true);
  EXPECT_EQ(links.target_of("/p/a/y", false), "/home/x/y");
  EXPECT_EQ(links.target_of("/p/b/y", false), "/home/x/d/y");
  EXPECT_EQ(links.target_of("/p/a/../y", false), "/home/y");  // as the kernel goes
  EXPECT_EQ(links.target_of("/p/?/y", false), "/home/x/y");
  EXPECT_EQ(links.target_of("/p/a", true), "/home/x");
  EXPECT_EQ(links.target_of("/p/a", false), std::nullopt);
  EXPECT_EQ(links.target_of("/p/a/", false), "/home/x");
  EXPECT_EQ(links.target_of("/p/m", false), "/srv");
  EXPECT_EQ(links.target_of("/p/c/y", false), std::nullopt);
}

TEST(GuardLinksTest, WhatMayLeadElsewhereIsNotKnown) {
  Links links;
  links.add("/p/a", "/x", true);
  links.add("/p/a", "/y", false);
  EXPECT_EQ(links.target_of("/p/a", true), std::string(1, kUnknownPiece));
  links.add("/p/r", "s", true);
  links.add("/p/s", "r", true);
  EXPECT_EQ(links.target_of("/p/r", true), std::string(1, kUnknownPiece));
}

TEST(GuardLinksTest, ACommandIsFollowed) {
  Links links;
  links.add("/p/h", "/home/x", true);
  SeenCommand seen{.words = {{"cp"}, {"a"}, {"h/b"}, {"--to=h/c"}}, .program = "cp"};
  EXPECT_FALSE(links.followed(seen));  // it runs nobody knows where
  seen.directory = "/p";
  const std::optional<SeenCommand> real = links.followed(seen);
  ASSERT_TRUE(real);
  EXPECT_EQ(shown_words(*real),
            (std::vector<std::string>{"cp", "a", "/home/x/b", "--to=/home/x/c"}));
  const SeenCommand removes{.words = {{"rm"}, {"h"}}, .program = "rm", .directory = "/p"};
  EXPECT_FALSE(links.followed(removes));  // the link, and no more
}

}  // namespace
}  // namespace talaria::guard
