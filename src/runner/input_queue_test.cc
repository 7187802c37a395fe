// Input by cursor, from several who do not know of each other.
#include "runner/input_queue.h"

#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "os/file.h"
#include "runner/limits.h"

namespace talaria::runner {
namespace {

class Input : public testing::Test {
 protected:
  Input() {
    auto pipe = os::make_pipe().value();
    reader_ = std::move(pipe.reader);
    os::set_nonblocking(reader_.get());
    queue_.open(std::move(pipe.writer), InputQueue::Kind::pipe, owner_, [this] { ++moves_; });
  }

  // What has arrived, with as much of what waits as there is then room for.
  std::string arrived() {
    std::string all;
    std::string buffer(64u << 10, '\0');
    for (;;) {
      const ssize_t size = ::read(reader_.get(), buffer.data(), buffer.size());
      if (size <= 0) return all;
      all.append(buffer, 0, static_cast<std::size_t>(size));
      loop_.restart();
      loop_.poll();
    }
  }

  asio::io_context loop_;
  std::shared_ptr<int> owner_ = std::make_shared<int>();
  os::UniqueFd reader_;
  InputQueue queue_{loop_.get_executor()};
  int moves_ = 0;
};

TEST_F(Input, EachWriterHasCursorsOfItsOwn) {
  EXPECT_TRUE(queue_.take("a", 0, "one "));
  EXPECT_TRUE(queue_.take("b", 0, "two "));
  EXPECT_TRUE(queue_.take("", 0, "three "));
  EXPECT_TRUE(queue_.take("a", 4, "four"));
  EXPECT_EQ(arrived(), "one two three four");
  EXPECT_EQ(queue_.next("a"), 8u);
  EXPECT_EQ(queue_.next("b"), 4u);
  EXPECT_EQ(queue_.next("nobody"), 0u);
}

TEST_F(Input, WhatIsSentAgainIsAppliedOnce) {
  EXPECT_TRUE(queue_.take("a", 0, "hello"));
  EXPECT_TRUE(queue_.take("b", 0, "!"));
  EXPECT_TRUE(queue_.take("a", 0, "hello"));
  EXPECT_TRUE(queue_.take("a", 3, "lo world"));
  EXPECT_EQ(arrived(), "hello! world");
}

TEST_F(Input, AGapIsRefused) {
  const auto taken = queue_.take("a", 1, "x");
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().kind(), ErrorKind::bad_request);
  EXPECT_EQ(arrived(), "");
}

TEST_F(Input, PiecesThatWaitAreNotTornApart) {
  const std::string large(200'000, 'a');
  const std::string other(100'000, 'b');
  EXPECT_TRUE(queue_.take("a", 0, large));
  EXPECT_TRUE(queue_.take("b", 0, other));
  EXPECT_FALSE(queue_.applied("a", large.size()));
  EXPECT_FALSE(queue_.applied("b", other.size()));
  EXPECT_EQ(arrived(), large + other);
  EXPECT_TRUE(queue_.applied("a", large.size()));
  EXPECT_TRUE(queue_.applied("b", other.size()));
  EXPECT_GT(moves_, 0);
}

TEST_F(Input, TheEndClosesBehindAllThatCameBefore) {
  const std::string large(200'000, 'a');
  EXPECT_TRUE(queue_.take("a", 0, large));
  queue_.end_behind("b", 0);
  EXPECT_TRUE(queue_.take("c", 0, "too late"));  // no failure of the writer's
  EXPECT_FALSE(queue_.closed());
  EXPECT_FALSE(queue_.takes_input());
  EXPECT_EQ(arrived(), large);
  EXPECT_TRUE(queue_.closed());
}

TEST_F(Input, WritersAreForgottenTheOldestFirstAndTheFirstNever) {
  EXPECT_TRUE(queue_.take("", 0, "x"));
  for (std::size_t i = 0; i < 2 * kMaxInputWriters; ++i) {
    EXPECT_TRUE(queue_.take("w" + std::to_string(i), 0, "x"));
  }
  EXPECT_EQ(queue_.next(""), 1u);
  EXPECT_EQ(queue_.next("w" + std::to_string(kMaxInputWriters + 1)), 1u);
  EXPECT_EQ(queue_.next("w0"), 0u);
  EXPECT_EQ(arrived().size(), 2 * kMaxInputWriters + 1);
}

TEST_F(Input, TooManyThatWaitAreRefused) {
  EXPECT_TRUE(queue_.take("", 0, std::string(kInputWindow, 'x')));
  for (std::size_t i = 1; i < kMaxInputWriters; ++i) {
    EXPECT_TRUE(queue_.take("w" + std::to_string(i), 0, "x"));
  }
  const auto taken = queue_.take("one more", 0, "x");
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().kind(), ErrorKind::limit);
  EXPECT_EQ(arrived().size(), kInputWindow + kMaxInputWriters - 1);
  EXPECT_TRUE(queue_.take("one more", 0, "x"));
}

}  // namespace
}  // namespace talaria::runner
