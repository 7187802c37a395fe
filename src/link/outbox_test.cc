#include "link/outbox.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace talaria::link {
namespace {

struct Seen {
  FrameType type;
  ExchangeId exchange;
  std::size_t size;
  bool last;
};

// Everything the outbox has to say, as frames.
std::vector<Seen> drain(Outbox& outbox) {
  FrameReader reader;
  std::vector<Seen> seen;
  while (!outbox.output().empty()) {
    reader.feed(outbox.output());
    outbox.wrote(outbox.output().size());
    for (;;) {
      const auto frame = reader.next();
      EXPECT_TRUE(frame);
      if (!frame || !*frame) break;
      seen.push_back(
          {(*frame)->type, (*frame)->exchange, (*frame)->payload.size(), (*frame)->last()});
    }
  }
  EXPECT_EQ(reader.buffered(), 0u);
  return seen;
}

std::string kinds(const std::vector<Seen>& frames) {
  std::string text;
  for (const Seen& frame : frames) {
    constexpr std::string_view kLetters = "?hqnrdcexpPg";
    text += kLetters[static_cast<std::size_t>(frame.type)];
    text += std::to_string(frame.exchange);
    text += ' ';
  }
  return text;
}

TEST(Outbox, ControlAndCreditsGoFirst) {
  Outbox outbox;
  outbox.message(1, FrameType::note, "m");
  outbox.data(1, 0, "d");
  outbox.credit(3, 0, 10);
  outbox.pong(4);
  outbox.control({.type = FrameType::cancel, .exchange = 5});
  EXPECT_EQ(kinds(drain(outbox)), "x5 P0 c3 n1 d1 ");
  EXPECT_TRUE(outbox.empty());
}

TEST(Outbox, ExchangesTakeTurns) {
  Outbox outbox;
  outbox.set_peer_reassembly(kMaxReassembly);
  outbox.message(1, FrameType::request, std::string(4 * kMaxFrameData, 'x'));
  outbox.message(3, FrameType::request, std::string(2 * kMaxFrameData, 'x'));
  outbox.message(5, FrameType::request, "small");
  EXPECT_EQ(kinds(drain(outbox)), "q1 q3 q5 q1 q3 q1 q1 ");
}

TEST(Outbox, KeepsTheOrderWithinAnExchange) {
  Outbox outbox;
  outbox.message(2, FrameType::note, "n");
  outbox.data(2, 0, std::string(kMaxFrameData + 1, 'x'));
  outbox.end(2, kMaxFrameData + 1);
  outbox.message(2, FrameType::response, "r");
  EXPECT_EQ(kinds(drain(outbox)), "n2 d2 d2 e2 r2 ");
}

TEST(Outbox, OnlyTheNewestOfCreditPingAndPongIsSent) {
  Outbox outbox;
  for (std::uint64_t i = 1; i <= 100; ++i) {
    outbox.credit(3, i, 2 * i);
    outbox.ping(i);
    outbox.pong(i);
  }
  const std::string bytes(outbox.output());
  EXPECT_EQ(number_at(bytes, kFrameHeaderBytes), 100u);
  EXPECT_EQ(kinds(drain(outbox)), "p0 P0 c3 ");
}

// A credit that came before its request would be for an exchange the peer does not know.
TEST(Outbox, ACreditDoesNotOvertakeItsRequest) {
  Outbox outbox;
  outbox.message(1, FrameType::request, std::string(3 * kMaxFrameData, 'x'));
  outbox.credit(1, 0, 10);
  outbox.credit(3, 0, 10);
  EXPECT_EQ(kinds(drain(outbox)), "c3 q1 q1 q1 c1 ");
}

TEST(Outbox, SmallPiecesThatWaitTogetherTravelTogether) {
  Outbox outbox;
  outbox.data(1, 0, "ab");
  outbox.data(1, 2, "cd");
  outbox.data(1, 9, "after a hole");
  const std::vector<Seen> frames = drain(outbox);
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(frames[0].size, 8u + 4u);
}

TEST(Outbox, BeginsALargeMessageOnlyWhenThePeerHasRoom) {
  Outbox outbox;  // the peer has not spoken: kLeastReassembly
  outbox.message(1, FrameType::request, std::string(kLeastReassembly - 10, 'x'));
  outbox.message(3, FrameType::request, std::string(kLeastReassembly - 10, 'x'));
  outbox.message(5, FrameType::request, std::string(kMaxFrameData, 'x'));  // one frame: needs none
  const std::vector<Seen> frames = drain(outbox);
  bool first_done = false;
  for (const Seen& frame : frames) {
    if (frame.exchange == 3) EXPECT_TRUE(first_done);
    if (frame.exchange == 5) EXPECT_FALSE(first_done);
    first_done |= frame.exchange == 1 && frame.last;
  }
  EXPECT_TRUE(frames.back().last);
}

TEST(Outbox, WaitsWithAMessageThePeerCannotTakeYet) {
  Outbox outbox;
  outbox.message(1, FrameType::request, std::string(kLeastReassembly + 1, 'x'));
  EXPECT_EQ(kinds(drain(outbox)), "");
  EXPECT_FALSE(outbox.empty());
  outbox.set_peer_reassembly(kMaxReassembly);
  EXPECT_EQ(drain(outbox).size(), 17u);
}

TEST(Outbox, DroppingAnExchangeGivesItsRoomBack) {
  Outbox outbox;
  outbox.message(1, FrameType::request, std::string(kLeastReassembly, 'x'));
  outbox.message(3, FrameType::request, std::string(kLeastReassembly, 'x'));
  outbox.wrote(outbox.output().size());  // 1 has begun
  EXPECT_FALSE(outbox.drop(3));
  EXPECT_TRUE(outbox.drop(1));
  EXPECT_FALSE(outbox.drop(9));
  EXPECT_EQ(outbox.queued_messages(), 0u);
  outbox.message(5, FrameType::request, std::string(kLeastReassembly, 'x'));
  EXPECT_EQ(drain(outbox).size(), 16u);
  EXPECT_TRUE(outbox.empty());
}

TEST(Outbox, DataIsBoundedPerExchangeAndInAll) {
  Outbox outbox;
  EXPECT_EQ(outbox.room(1), kMaxQueuedDataPerExchange);
  outbox.data(1, 0, std::string(kMaxQueuedDataPerExchange, 'x'));
  EXPECT_EQ(outbox.room(1), 0u);
  EXPECT_EQ(outbox.room(3), kMaxQueuedDataPerExchange);
  const std::size_t others = kMaxQueuedData / kMaxQueuedDataPerExchange - 1;
  for (ExchangeId id = 2; id < 2 + others; ++id) {
    outbox.data(id, 0, std::string(kMaxQueuedDataPerExchange, 'x'));
  }
  EXPECT_EQ(outbox.queued_data(), kMaxQueuedData);
  EXPECT_EQ(outbox.room(1000), 0u);
  drain(outbox);
  EXPECT_EQ(outbox.queued_data(), 0u);
  EXPECT_EQ(outbox.room(1), kMaxQueuedDataPerExchange);
}

TEST(Outbox, AChunkIsBoundedAndStaysTheSameUntilWritten) {
  Outbox outbox;
  outbox.data(1, 0, std::string(kMaxQueuedDataPerExchange, 'x'));
  const std::string first(outbox.output());
  EXPECT_LE(first.size(), kOutputChunk + kFrameHeaderBytes + kMaxFramePayload);
  outbox.wrote(5);
  outbox.control({.type = FrameType::cancel, .exchange = 3});  // must not split a frame
  EXPECT_EQ(outbox.output(), first.substr(5));
}

TEST(Outbox, SaysWhichMessagesAreOut) {
  Outbox outbox;
  outbox.set_peer_reassembly(kMaxReassembly);
  outbox.message(1, FrameType::request, std::string(5 * kMaxFrameData, 'x'));
  outbox.message(2, FrameType::response, "r");
  outbox.wrote(outbox.output().size());
  std::vector<Outbox::Sent> sent = outbox.take_sent();
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].exchange, 2u);
  drain(outbox);
  sent = outbox.take_sent();
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].type, FrameType::request);
}

}  // namespace
}  // namespace talaria::link
