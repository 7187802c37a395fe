#include "runner/call_lifetimes.h"

#include <vector>

#include <gtest/gtest.h>

namespace talaria::runner {
namespace {

class CallLifetimesTest : public testing::Test {
 protected:
  static link::LinkId link(char name) {
    link::LinkId id;
    id.bytes.fill(name);
    return id;
  }

  asio::io_context loop_;
  std::vector<std::string> ended_;
  CallLifetimes calls_{loop_, [this](const std::string& process) { ended_.push_back(process); },
                       std::chrono::milliseconds(20)};
};

TEST_F(CallLifetimesTest, ProcessesEndAWhileAfterTheirLinkIsGone) {
  calls_.add(link('a'), "p1");
  calls_.add(link('a'), "p2");
  calls_.add(link('b'), "p3");
  calls_.disconnected(link('a'));
  EXPECT_TRUE(ended_.empty());
  loop_.run();
  EXPECT_EQ(ended_, (std::vector<std::string>{"p1", "p2"}));
}

TEST_F(CallLifetimesTest, ALinkThatComesBackKeepsThem) {
  calls_.add(link('a'), "p1");
  calls_.disconnected(link('a'));
  calls_.connected(link('a'));
  loop_.run();
  EXPECT_TRUE(ended_.empty());
  calls_.disconnected(link('a'));
  loop_.restart();
  loop_.run();
  EXPECT_EQ(ended_, (std::vector<std::string>{"p1"}));
}

TEST_F(CallLifetimesTest, WhatHasEndedIsLeftAlone) {
  calls_.add(link('a'), "p1");
  calls_.disconnected(link('a'));
  calls_.remove("p1");
  calls_.remove("nobody");
  loop_.run();
  EXPECT_TRUE(ended_.empty());
}

}  // namespace
}  // namespace talaria::runner
