#include "environment/script_line_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "link/script_messages.h"

namespace talaria::environment {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Heard = ScriptLineReader::Heard;

std::string record(std::uint32_t connection, std::string_view bytes) {
  return link::encode_record({.connection = connection, .bytes = bytes});
}

TEST(ScriptLineReader, LinesOfSeveralConnectionsAreKeptApart) {
  ScriptLineReader input;
  EXPECT_THAT(input.take(record(1, "on") + record(2, "other\n\nsec")),
              ElementsAre(Heard{2, "other"}, Heard{2, ""}));
  EXPECT_THAT(input.take(record(1, "e\n") + record(2, "ond\n") + record(2, "")),
              ElementsAre(Heard{1, "one"}, Heard{2, "second"}, Heard{2, std::nullopt}));
}

TEST(ScriptLineReader, ARecordMayComeInPieces) {
  ScriptLineReader input;
  const std::string bytes = record(3, "line\n");
  EXPECT_THAT(input.take(bytes.substr(0, 6)), IsEmpty());
  EXPECT_THAT(input.take(bytes.substr(6)), ElementsAre(Heard{3, "line"}));
}

TEST(ScriptLineReader, AnUnfinishedLineGoesWithItsConnection) {
  ScriptLineReader input;
  EXPECT_THAT(input.take(record(1, "half") + record(1, "") + record(1, "whole\n")),
              ElementsAre(Heard{1, std::nullopt}, Heard{1, "whole"}));
}

// The rest of it once was a line of its own, and got an answer that the next call took for its own.
TEST(ScriptLineReader, ALineThatIsTooLongIsOneLine) {
  ScriptLineReader input(100);
  EXPECT_THAT(input.take(record(1, std::string(101, 'x'))),
              ElementsAre(Heard{1, std::string(101, 'x')}));
  EXPECT_THAT(input.take(record(1, std::string(500, 'y'))), IsEmpty());
  EXPECT_THAT(input.take(record(1, "z\nnext\n")), ElementsAre(Heard{1, "next"}));
}

TEST(ScriptLineReader, TheLimitIsForAllConnectionsTogether) {
  ScriptLineReader input(100);
  EXPECT_THAT(input.take(record(1, std::string(60, 'x'))), IsEmpty());
  EXPECT_THAT(input.take(record(2, std::string(60, 'y'))),
              ElementsAre(Heard{2, std::string(60, 'y')}));
  EXPECT_THAT(input.take(record(1, "\n")), ElementsAre(Heard{1, std::string(60, 'x')}));
  EXPECT_THAT(input.take(record(2, "\n") + record(2, std::string(90, 'y') + "\n")),
              ElementsAre(Heard{2, std::string(90, 'y')}));
}

}  // namespace
}  // namespace talaria::environment
