#include "base/shared_map.h"

#include <string>

#include <gtest/gtest.h>

#include "base/shared_texts.h"

namespace talaria {
namespace {

using Names = SharedMap<std::string>;

TEST(SharedMapTest, ACopyIsTheSameUntilOneIsChanged) {
  Names first{{"A", "1"}, {"B", "2"}};
  Names second = first;
  EXPECT_TRUE(first.shares_with(second));
  second.insert_or_assign("A", "3");
  EXPECT_FALSE(first.shares_with(second));
  EXPECT_EQ(first, (Names{{"A", "1"}, {"B", "2"}}));
  EXPECT_EQ(second, (Names{{"A", "3"}, {"B", "2"}}));
}

TEST(SharedMapTest, WhatChangesNothingIsNoChange) {
  Names first{{"A", "1"}};
  Names second = first;
  EXPECT_FALSE(second.try_emplace("A", "other"));
  second.erase("none");
  EXPECT_EQ(erase_if(second, [](const auto& entry) { return entry.first == "none"; }), 0u);
  EXPECT_TRUE(first.shares_with(second));
}

TEST(SharedMapTest, EachChangeIsOfOneCopy) {
  const Names first{{"A", "1"}, {"B", "2"}, {"C", "3"}};
  Names second = first;
  second.erase("A");
  EXPECT_TRUE(second.try_emplace("D", "4"));
  EXPECT_EQ(erase_if(second, [](const auto& entry) { return entry.second == "2"; }), 1u);
  second["E"] = "5";
  second.erase(second.find("C")->first);  // by a name that is its own
  EXPECT_EQ(second, (Names{{"D", "4"}, {"E", "5"}}));
  EXPECT_EQ(first.size(), 3u);
}

TEST(SharedMapTest, NoneAreAlike) {
  Names changed{{"A", "1"}};
  changed.erase("A");
  EXPECT_TRUE(changed.shares_with({}));
  EXPECT_EQ(changed, Names());
  EXPECT_EQ(Names().find("A"), Names().end());
}

TEST(SharedTextsTest, ACopyIsTheSameUntilOneIsChanged) {
  const SharedTexts first{"A=1", "B=2"};
  SharedTexts second = first;
  EXPECT_EQ(first.get().data(), second.get().data());
  second.own().emplace_back("C=3");
  EXPECT_EQ(first.size(), 2u);
  EXPECT_EQ(second.size(), 3u);
  EXPECT_NE(first, second);
  EXPECT_TRUE(SharedTexts().empty());
}

}  // namespace
}  // namespace talaria
