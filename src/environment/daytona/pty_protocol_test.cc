// What a shell makes of these words is shown in tests/clouds.
#include "environment/daytona/pty_protocol.h"

#include <gmock/gmock.h>

namespace talaria::environment::daytona {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(PtyProtocol, TypesALineThatNeedsNothingOfTheScript) {
  const std::string script(50'000, '\'');
  const PtyProtocol words(script, "0123abcd");
  EXPECT_LT(words.line().size(), 1000u);
  EXPECT_TRUE(words.line().ends_with("\n"));
  EXPECT_EQ(words.mark(), "TALARIA-0123abcd\n");
  EXPECT_THAT(words.line(), Not(HasSubstr("TALARIA-0123abcd")));  // its echo is not the mark
  EXPECT_TRUE(words.program().ends_with(script));
  const std::size_t size = words.program().size() - script.size();
  EXPECT_THAT(words.line(), HasSubstr("count=" + std::to_string(size) + " "));
  EXPECT_THAT(words.program(), HasSubstr("$(d 50000)"));
}

TEST(PtyProtocol, MakesPieces) {
  const struct {
    const char* name;
    std::string bytes;
    std::string piece;
  } cases[] = {
      {"plain", "Ab c/d", "=Ab c/d\n"},
      {"what printf reads", "%\\", "=\\045\\134\n"},
      {"a digit after a number",
       std::string("\0"
                   "1",
                   2),
       "=\\000\\061\n"},
      {"no line end", "a\nb\r", "=a\\012b\\015\n"},
      {"high", "\xff", "=\\377\n"},
      // printf said "Illegal option", and a frame of 45 bytes was lost.
      {"what printf takes for an option", "-a", "=\\055a\n"},
      {"many plain", std::string(1024, 'x'), "=" + std::string(1024, 'x') + "\n"},
      {"more", std::string(1025, 'x'), "1025\n" + std::string(1025, 'x')},
      {"too many to be written out", std::string(300, '\n'), "300\n" + std::string(300, '\n')},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(PtyProtocol::piece(c.bytes), c.piece);
  }
}

}  // namespace
}  // namespace talaria::environment::daytona
