#include "front/gateway/output_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "front/gateway/limits.h"

namespace talaria::front::gateway {
namespace {

using testing::HasSubstr;

TEST(EventPieces, APieceIsAnEventWithTheByteBehindItAsItsId) {
  EventPieces pieces(0);
  EXPECT_EQ(pieces.feed(0, "hello\n"),
            "id: 6\nevent: output\ndata: {\"from\":0,\"next\":6,\"data\":\"hello\\n\"}\n\n");
  EXPECT_EQ(pieces.feed(6, "x"),
            "id: 7\nevent: output\ndata: {\"from\":6,\"next\":7,\"data\":\"x\"}\n\n");
  EXPECT_EQ(pieces.finish(), "");
}

TEST(EventPieces, ACharacterIsNotCutInTwo) {
  EventPieces pieces(0);
  EXPECT_THAT(pieces.feed(0, "a\xC3"), HasSubstr("\"next\":1,\"data\":\"a\""));
  EXPECT_THAT(pieces.feed(2, "\xBC!"), HasSubstr("\"from\":1,\"next\":4,\"data\":\"\xC3\xBC!\""));
  EXPECT_EQ(pieces.feed(4, "\xC3"), "");
  EXPECT_THAT(pieces.finish(), HasSubstr("\"dataBase64\":\"ww==\""));
}

TEST(EventPieces, WhatIsNoTextIsBase64) {
  EventPieces pieces(0);
  EXPECT_THAT(pieces.feed(0, "\xFF\xFE"), HasSubstr("\"next\":2,\"dataBase64\":\"//4=\""));
}

// A frame of the link that ended like a character waited for the next one, which waited for it.
TEST(EventPieces, BytesDoNotWait) {
  EventPieces pieces(0, true);
  EXPECT_THAT(pieces.feed(0, "a\xC3"), HasSubstr("\"next\":2,\"dataBase64\":\"YcM=\""));
  EXPECT_THAT(pieces.feed(2, "ok"), HasSubstr("\"dataBase64\":\"b2s=\""));
  EXPECT_EQ(pieces.finish(), "");
}

TEST(EventPieces, BytesThatAreGoneAreAGap) {
  EventPieces pieces(10);
  EXPECT_EQ(pieces.feed(50, "x"),
            "id: 50\nevent: gap\ndata: {\"from\":10,\"next\":50}\n\n"
            "id: 51\nevent: output\ndata: {\"from\":50,\"next\":51,\"data\":\"x\"}\n\n");
}

TEST(EventPieces, MuchAtOnceIsSeveralEvents) {
  EventPieces pieces(0);
  const std::string events = pieces.feed(0, std::string(kStreamPiece + 1, 'x'));
  EXPECT_THAT(events, HasSubstr("id: 65536\n"));
  EXPECT_THAT(events, HasSubstr("id: 65537\n"));
}

}  // namespace
}  // namespace talaria::front::gateway
