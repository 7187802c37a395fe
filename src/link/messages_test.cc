#include "link/messages.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "link/limits.h"
#include "testing/link/hex.h"
#include "testing/link/samples.h"

namespace talaria::link {
namespace {

template <class Message>
class EveryMessage : public testing::Test {};

using Messages =
    testing::Types<Start, Started, ExitReport, Wait, Kill, KillReport, Read, ReadReport, Write,
                   WriteReport, Resize, List, ListReport, Status, StatusReport, Stop, EndSession,
                   Login, LoginReport, RunnerEvent, Events, EventsReport, Acknowledge, StatFile,
                   StatFileReport, ReadFile, ReadFileReport, WriteFile, WriteFileReport,
                   RemoveFiles, RemoveFilesReport, ListFiles, ListFilesReport, ReadLines,
                   ReadLinesReport, SearchFiles, SearchReport, LocateFile, LocateFileReport,
                   ChangeFiles, ChangeFilesReport, ScriptCalls, ScriptAnswer>;
TYPED_TEST_SUITE(EveryMessage, Messages);

TYPED_TEST(EveryMessage, ComesBackAsItWas) {
  const TypeParam full = sample<TypeParam>();
  const Result<TypeParam> again = decode<TypeParam>(encode(full));
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(*again, full);
}

TYPED_TEST(EveryMessage, IsEmptyWhenNothingIsSaid) {
  EXPECT_EQ(encode(TypeParam{}), "");
  const Result<TypeParam> again = decode<TypeParam>("");
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, TypeParam{});
}

TYPED_TEST(EveryMessage, SkipsWhatANewerPeerAdds) {
  // Field 60: a varint, then a string; then known fields.
  const std::string newer = from_hex("e003 2a e203 03 616263") + encode(sample<TypeParam>());
  const Result<TypeParam> again = decode<TypeParam>(newer);
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(*again, sample<TypeParam>());
}

TYPED_TEST(EveryMessage, RefusesWhatANewerPeerRequires) {
  const Result<TypeParam> again =
      decode<TypeParam>(from_hex("d005 2a") + encode(sample<TypeParam>()));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().kind(), ErrorKind::bad_request);
  EXPECT_NE(again.error().message().find("field 90"), std::string::npos);
}

// Truncation anywhere is an error message or a message with less in it, never anything else.
TYPED_TEST(EveryMessage, SurvivesBeingCutAnywhere) {
  const std::string whole = encode(sample<TypeParam>());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Result<TypeParam> part = decode<TypeParam>(std::string_view(whole).substr(0, size));
    if (!part) {
      EXPECT_EQ(part.error().kind(), ErrorKind::bad_request);
      EXPECT_NE(part.error().message(), "");
    }
  }
}

TEST(Messages, SayWhatIsWrong) {
  const auto start_with = [](std::uint32_t size) {
    return encode(Start{.start_id = std::string(size, 'x')});
  };
  const struct {
    const char* name;
    std::string bytes;
    const char* expected;
  } cases[] = {
      {"an id of full length", start_with(kMaxId), ""},
      {"an id too long", start_with(kMaxId + 1), "Start.start_id: 257 bytes; at most 256"},
      {"an unknown lifetime", from_hex("5009"),
       "Start.lifetime: 9 is not a value this version knows"},
      {"cut inside a string", from_hex("0a05 6162"), "Start: end of buffer exception"},
      {"cut inside a nested message", from_hex("4a02 08"), "Start: end of buffer exception"},
      {"an endless number", from_hex("10 ffffffffffffffffffffff"),
       "Start: varint too long exception"},
      {"field zero", from_hex("0000"), "Start: invalid tag exception"},
      {"a group", from_hex("0b"), "Start: unknown pbf field type exception"},
      {"a known field of another type is skipped", from_hex("0801 1005"), ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Result<Start> start = decode<Start>(c.bytes);
    EXPECT_EQ(start ? "" : start.error().message(), c.expected);
  }
}

// protozero 1.7's own reader of booleans looks at a byte before checking that there is one.
TEST(Messages, ABooleanMayBeCutOrLong) {
  const auto cut = std::make_unique<char>('\x08');  // on the heap, where asan watches its end
  EXPECT_FALSE(decode<Stop>(std::string_view(cut.get(), 1)));
  EXPECT_TRUE(decode<Stop>(from_hex("08 8001"))->kill);
  EXPECT_FALSE(decode<Stop>(from_hex("08 8000"))->kill);
}

TEST(Messages, TakeNoEndlessLists) {
  std::string bytes;
  for (std::size_t i = 0; i <= kMaxEntries; ++i) bytes += from_hex("3200");
  const Result<Start> start = decode<Start>(bytes);
  ASSERT_FALSE(start);
  EXPECT_EQ(start.error().message(), "Start.env: more than 65536 entries");
}

// Also in docs/reference/link.md.
TEST(Messages, GoldenBytes) {
  const Start start{.start_id = "s1", .sequence = 7, .command = "true", .tail_limit = 300};
  EXPECT_EQ(to_hex(encode(start)),
            "0a0273311007220474727565"
            "68ac02");
  EXPECT_EQ(to_hex(encode(Started{.process = "p1", .pid = 42})), "0a027031102a");
  const ExitReport report{.process = "p1", .code = 1, .total = 3, .head = "no\n"};
  EXPECT_EQ(to_hex(encode(report)),
            "0a027031180128033203"
            "6e6f0a");
}

TEST(Messages, MethodsHaveNames) {
  EXPECT_EQ(method_name(Method::start), "start");
  EXPECT_EQ(method_name(Method::stop), "stop");
  EXPECT_EQ(method_name(Method::end_session), "end_session");
  EXPECT_EQ(method_name(Method::acknowledge), "acknowledge");
  EXPECT_EQ(method_name(Method{31}), "method 31");
  EXPECT_EQ(method_name(Method::stat_file), "stat_file");
  EXPECT_EQ(method_name(Method::list_files), "list_files");
  EXPECT_EQ(method_name(Method::change_files), "change_files");
  EXPECT_EQ(method_name(Method{41}), "method 41");
  EXPECT_EQ(method_name(Method{77}), "method 77");
  EXPECT_EQ(method_name(Method{0}), "method 0");
}

}  // namespace
}  // namespace talaria::link
