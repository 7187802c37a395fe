#include "modal/input_queue.h"

#include <string>
#include <thread>

#include <gtest/gtest.h>

namespace talaria::modal {
namespace {

TEST(ModalInputQueue, WhatGatheredGoesAsOnePiece) {
  InputQueue queue(10);
  EXPECT_TRUE(queue.add("abc"));
  EXPECT_TRUE(queue.add("def"));
  EXPECT_EQ(queue.take(), "abcdef");
  queue.end();
  EXPECT_EQ(queue.take(), "");
  EXPECT_EQ(queue.take(), "");
}

TEST(ModalInputQueue, TheEndComesBehindTheBytes) {
  InputQueue queue(10);
  queue.add("abc");
  queue.end();
  EXPECT_EQ(queue.take(), "abc");
  EXPECT_EQ(queue.take(), "");
}

TEST(ModalInputQueue, NeverHoldsMoreThanItMay) {
  InputQueue queue(4);
  const std::string sent = "0123456789abcdefghij";
  std::thread reader([&] {
    queue.add(sent);
    queue.end();
  });
  std::string got;
  for (std::string piece = queue.take(); !piece.empty(); piece = queue.take()) {
    EXPECT_LE(piece.size(), 4U);
    got += piece;
  }
  reader.join();
  EXPECT_EQ(got, sent);
}

TEST(ModalInputQueue, NobodyWaitsOnceItIsClosed) {
  InputQueue queue(2);
  std::thread reader([&] { EXPECT_FALSE(queue.add("more than fits")); });
  queue.close();
  reader.join();
  EXPECT_FALSE(queue.add("x"));
}

}  // namespace
}  // namespace talaria::modal
