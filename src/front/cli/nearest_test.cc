#include "front/cli/nearest.h"

#include <array>

#include <gtest/gtest.h>

namespace talaria::front::cli {
namespace {

TEST(Nearest, FindsWhatWasMeantOrNothing) {
  constexpr auto kWords = std::to_array<std::string_view>({"exec", "call", "config", "--timeout"});
  const struct {
    const char* typed;
    const char* expected;
  } cases[] = {
      {"exce", "exec"},
      {"exex", "exec"},
      {"exe", "exec"},
      {"conf", "config"},
      {"cal", "call"},
      {"--tiemout", "--timeout"},
      {"--timout", "--timeout"},
      {"x", ""},
      {"banana", ""},
      {"", ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.typed);
    EXPECT_EQ(nearest(c.typed, kWords), c.expected);
  }
}

}  // namespace
}  // namespace talaria::front::cli
