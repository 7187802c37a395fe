#include "link/frame.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "testing/link/hex.h"

namespace talaria::link {
namespace {

// Also in docs/reference/link.md, for authors of a second implementation.
TEST(Frame, GoldenBytes) {
  std::string cancel;
  append_frame(cancel, {.type = FrameType::cancel, .exchange = 3});
  std::string request;
  append_frame(request, {FrameType::request, kFlagLast, 1, "\x08\x01"});
  std::string data;
  append_data(data, 5, 0x0102030405060708, "hi");
  std::string credit;
  append_credit(credit, 5, 16, 65552);
  std::string end;
  append_number(end, FrameType::end, 5, 18);
  std::string ping;
  append_number(ping, FrameType::ping, 0, 7);

  const struct {
    const char* name;
    const std::string& bytes;
    const char* hex;
  } cases[] = {
      {"cancel", cancel, "06000000 08 00 03000000"},
      {"request", request, "08000000 02 01 01000000 0801"},
      {"data", data, "10000000 05 00 05000000 0807060504030201 6869"},
      {"credit", credit, "16000000 06 00 05000000 1000000000000000 1000010000000000"},
      {"end", end, "0e000000 07 00 05000000 1200000000000000"},
      {"ping", ping, "0e000000 09 00 00000000 0700000000000000"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(to_hex(c.bytes), to_hex(from_hex(c.hex)));
    FrameReader reader;
    reader.feed(c.bytes);
    const auto frame = reader.next();
    ASSERT_TRUE(frame && *frame);
    std::string again;
    append_frame(again, **frame);
    EXPECT_EQ(again, c.bytes);
  }
}

TEST(FrameReader, FindsTheSameFramesHoweverTheStreamIsCut) {
  std::string stream;
  append_frame(stream, {FrameType::request, kFlagLast, 1, "body"});
  append_frame(stream, {.type = FrameType::cancel, .exchange = 1});
  append_data(stream, 1, 9, "some bytes");
  for (std::size_t piece = 1; piece <= stream.size(); ++piece) {
    SCOPED_TRACE(piece);
    FrameReader reader;
    std::string again;
    for (std::size_t at = 0; at < stream.size(); at += piece) {
      reader.feed(std::string_view(stream).substr(at, piece));
      for (;;) {
        const auto frame = reader.next();
        ASSERT_TRUE(frame);
        if (!*frame) break;
        append_frame(again, **frame);
      }
    }
    EXPECT_EQ(again, stream);
    EXPECT_EQ(reader.buffered(), 0u);
  }
}

TEST(FrameReader, RefusesLengthsThatNoFrameHas) {
  const struct {
    const char* name;
    std::string bytes;
    bool accepted;
  } cases[] = {
      {"too short for a header", from_hex("05000000"), false},
      {"empty payload", from_hex("06000000"), true},
      {"the longest", from_hex("0e000100"), true},  // 6 + 65536 + 8
      {"one more", from_hex("0f000100"), false},
      {"text", "Last login: Mon", false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    FrameReader reader;
    reader.feed(c.bytes);
    EXPECT_EQ(reader.next().has_value(), c.accepted);
    EXPECT_EQ(reader.next().has_value(), c.accepted);  // and it stays so
  }
}

TEST(Frame, NumbersOutsideAPayloadAreNotThere) {
  EXPECT_EQ(number_at(from_hex("0100000000000000")), 1u);
  EXPECT_EQ(number_at(from_hex("00000000000000")), std::nullopt);
  EXPECT_EQ(number_at(from_hex("0100000000000000"), 1), std::nullopt);
}

}  // namespace
}  // namespace talaria::link
