#include "front/call_queue.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/event.h"
#include "front/task_group.h"

namespace talaria::front {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Kind = CallQueue::Kind;

class CallQueueTest : public testing::Test {
 protected:
  CallQueueTest() {
    queue_.hold_while([this] { return held_; });
  }

  void add(Kind kind, const std::string& name, std::size_t bytes = 1) {
    queue_.add({kind, bytes, [this, name] { return run(name); }});
  }
  Task<void> run(std::string name) {
    begun_.push_back(std::move(name));
    co_await end_.wait();
  }
  void settle() {
    loop_.restart();
    loop_.poll();
  }
  void end_all() {
    end_.notify_all();
    settle();
  }

  asio::io_context loop_{1};
  TaskGroup tasks_{loop_.get_executor()};
  AsyncEvent end_;
  bool held_ = false;
  std::vector<std::string> begun_;
  CallQueue queue_{[this](Task<void> task) { tasks_.start(std::move(task)); }};
};

TEST_F(CallQueueTest, OnlyLooksBeginBeforeItGoesOn) {
  add(Kind::work, "work");
  add(Kind::look, "look");
  settle();
  EXPECT_THAT(begun_, ElementsAre("look"));
  EXPECT_EQ(queue_.waiting_bytes(), 1u);
  queue_.resume();
  settle();
  EXPECT_THAT(begun_, ElementsAre("look", "work"));
  EXPECT_EQ(queue_.waiting_bytes(), 0u);
  end_all();
}

TEST_F(CallQueueTest, TheEndOfOneIsTheBeginOfAnother) {
  for (std::size_t i = 0; i < kMaxRunningCalls; ++i) add(Kind::work, "first");
  add(Kind::work, "next", 7);
  queue_.resume();
  settle();
  EXPECT_EQ(begun_.size(), kMaxRunningCalls);
  EXPECT_EQ(queue_.waiting_bytes(), 7u);
  end_all();
  EXPECT_EQ(begun_.size(), kMaxRunningCalls + 1);
  EXPECT_EQ(begun_.back(), "next");
  end_all();
}

TEST_F(CallQueueTest, ReadsHaveABoundOfTheirOwn) {
  for (std::size_t i = 0; i <= kMaxRunningReads; ++i) add(Kind::read, "read");
  add(Kind::work, "work");
  queue_.resume();
  settle();
  EXPECT_EQ(begun_.size(), kMaxRunningReads + 1);
  EXPECT_EQ(begun_.front(), "work");
  end_all();
  EXPECT_EQ(begun_.size(), kMaxRunningReads + 2);
  end_all();
}

TEST_F(CallQueueTest, NothingBeginsWhileItIsHeld) {
  held_ = true;
  add(Kind::look, "look");
  add(Kind::work, "work");
  queue_.resume();
  settle();
  EXPECT_THAT(begun_, IsEmpty());
  held_ = false;
  queue_.resume();
  settle();
  EXPECT_THAT(begun_, ElementsAre("look", "work"));
  end_all();
}

TEST_F(CallQueueTest, WhatIsForgottenNeverBegins) {
  add(Kind::work, "work");
  add(Kind::read, "read");
  queue_.clear();
  queue_.resume();
  settle();
  EXPECT_THAT(begun_, IsEmpty());
  EXPECT_EQ(queue_.waiting_bytes(), 0u);
}

TEST_F(CallQueueTest, TheProcessToolLooks) {
  EXPECT_EQ(CallQueue::kind_of_tool("process"), Kind::look);
  EXPECT_EQ(CallQueue::kind_of_tool("terminal"), Kind::work);
}

}  // namespace
}  // namespace talaria::front
