#include "front/lines/part_stream.h"

#include <string>
#include <vector>

#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/run_to_end.h"

namespace talaria::front::lines {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class PartStreamTest : public testing::Test {
 protected:
  PartStream stream(PartEncoding encoding, std::uint64_t window) {
    return PartStream({.send = [this](const json::object& part) { sent_.push_back(text(part)); },
                       .reads = [this] { return reads_; }},
                      encoding, window);
  }
  static std::string text(const json::object& part) {
    std::string shown(part.at("stream").as_string());
    shown += part.contains("data") ? ":" + std::string(part.at("data").as_string())
                                   : "=" + std::string(part.at("data64").as_string());
    if (part.contains("from")) {
      shown += "@" + json::serialize(part.at("from")) + "-" + json::serialize(part.at("next"));
    }
    return shown;
  }
  std::vector<std::string> take() { return std::exchange(sent_, {}); }

  std::vector<std::string> sent_;
  bool reads_ = true;
};

TEST_F(PartStreamTest, PiecesGoOutInTheirOrder) {
  PartStream parts = stream(PartEncoding::text, 100);
  parts.add("stdout", "a");
  parts.add("stderr", "b");
  parts.add("stdout", "");
  EXPECT_THAT(take(), ElementsAre("stdout:a", "stderr:b"));
  EXPECT_FALSE(parts.flow()->held());
}

TEST_F(PartStreamTest, ACharacterIsNeverSplit) {
  PartStream parts = stream(PartEncoding::text, 100);
  parts.add("stdout", "x\xE2");
  parts.add("stderr", "\xC3");
  parts.add("stdout", "\x82");
  parts.add("stdout", "\xAC!");
  EXPECT_THAT(take(), ElementsAre("stdout:x", "stdout:\xE2\x82\xAC!"));
  parts.end();
  EXPECT_THAT(take(), ElementsAre("stderr:\xEF\xBF\xBD"));
}

TEST_F(PartStreamTest, BytesThatAreNoTextAreSentAsTheEncodingSays) {
  PartStream text_parts = stream(PartEncoding::text, 100);
  text_parts.add("stdout", "a\xFF");
  EXPECT_THAT(take(), ElementsAre("stdout:a\xEF\xBF\xBD"));
  PartStream any = stream(PartEncoding::automatic, 100);
  any.add("stdout", "a\xFFz");
  any.add("stdout", "b");
  EXPECT_THAT(take(), ElementsAre("stdout=Yf96", "stdout:b"));
  PartStream bytes = stream(PartEncoding::base64, 100);
  bytes.add("stdout", "\xC3");
  EXPECT_THAT(take(), ElementsAre("stdout=ww=="));
}

TEST_F(PartStreamTest, NoMoreThanTheWindowIsOnTheWay) {
  PartStream parts = stream(PartEncoding::text, 4);
  parts.add("stdout", "123456");
  EXPECT_THAT(take(), ElementsAre("stdout:1234"));
  EXPECT_TRUE(parts.flow()->held());
  parts.allow(1);
  EXPECT_THAT(take(), ElementsAre("stdout:5"));
  parts.allow(100);
  EXPECT_THAT(take(), ElementsAre("stdout:6"));
  EXPECT_FALSE(parts.flow()->held());
}

TEST_F(PartStreamTest, ACharacterWaitsUntilThereIsRoomForAllOfIt) {
  PartStream parts = stream(PartEncoding::text, 2);
  parts.add("stdout", "\xE2\x82\xAC");
  EXPECT_THAT(take(), IsEmpty());
  parts.allow(1);
  EXPECT_THAT(take(), ElementsAre("stdout:\xE2\x82\xAC"));
}

TEST_F(PartStreamTest, PositionsAreThoseOfTheBytes) {
  PartStream parts = stream(PartEncoding::text, 100);
  parts.add("output", "a\xC3", 10);
  parts.add("output", "\xA4z", 12);
  parts.add("output", "gap", 20);
  EXPECT_THAT(take(), ElementsAre("output:a@10-11", "output:\xC3\xA4z@11-14", "output:gap@20-23"));
}

TEST_F(PartStreamTest, WhileTheClientDoesNotReadNothingIsSent) {
  PartStream parts = stream(PartEncoding::text, 100);
  reads_ = false;
  parts.add("stdout", "a");
  EXPECT_THAT(take(), IsEmpty());
  EXPECT_TRUE(parts.flow()->held());
  reads_ = true;
  parts.resume();
  EXPECT_THAT(take(), ElementsAre("stdout:a"));
}

TEST_F(PartStreamTest, WhatHasNoRoomIsDroppedOnceItIsGivenUp) {
  PartStream parts = stream(PartEncoding::text, 2);
  parts.add("stdout", "123");
  parts.give_up();
  parts.add("stdout", "4");
  const auto wait = [&]() -> Task<bool> {
    co_await parts.sent();
    co_return true;
  };
  EXPECT_TRUE(test::run_to_end(wait()));
  EXPECT_THAT(take(), ElementsAre("stdout:12"));
  EXPECT_FALSE(parts.flow()->held());
}

}  // namespace
}  // namespace talaria::front::lines
