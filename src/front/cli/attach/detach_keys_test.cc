#include "front/cli/attach/detach_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria::front::cli {
namespace {

using testing::HasSubstr;

constexpr std::string_view kP = "\x10";
constexpr std::string_view kQ = "\x11";

std::string operator+(std::string_view a, std::string_view b) { return std::string(a).append(b); }

TEST(DetachKeys, AreFoundAmongWhatIsTypedHoweverItIsCut) {
  const struct {
    const char* name;
    std::string keys;
    std::vector<std::string> typed;
    std::string passed;
    bool detached;
  } cases[] = {
      {"in one piece", "ctrl-p,ctrl-q", {"ls\r" + kP + kQ + "never"}, "ls\r", true},
      {"in two pieces", "ctrl-p,ctrl-q", {"a" + std::string(kP), std::string(kQ)}, "a", true},
      {"the first alone is held back", "ctrl-p,ctrl-q", {std::string(kP)}, "", false},
      {"and given with the next", "ctrl-p,ctrl-q", {std::string(kP), "x"}, kP + "x", false},
      {"the first twice", "ctrl-p,ctrl-q", {kP + kP + kQ}, std::string(kP), true},
      {"a sequence that begins anew within itself", "a,a,b", {"aaab"}, "a", true},
      {"a plain key", "q", {"q"}, "", true},
      {"escape and others", "ctrl-[,ctrl-\\,ctrl-@", {std::string("\x1b\x1c\0", 3)}, "", true},
      {"none", "none", {kP + kQ}, kP + kQ, false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    auto keys = DetachKeys::parse(c.keys);
    ASSERT_TRUE(keys) << keys.error().message();
    std::string passed;
    bool detached = false;
    for (const std::string& piece : c.typed) {
      const DetachKeys::Typed typed = keys->feed(piece);
      passed += typed.keys;
      detached = typed.detach;
    }
    EXPECT_EQ(passed, c.passed);
    EXPECT_EQ(detached, c.detached);
  }
}

TEST(DetachKeys, RejectsWhatIsNotAKey) {
  for (const char* text : {"ctrl-", "ctrl-1", "ctrl-pp", "a,,b", "ab", "ctrl-P"}) {
    const auto keys = DetachKeys::parse(text);
    ASSERT_FALSE(keys) << text;
    EXPECT_THAT(keys.error().message(), HasSubstr("is not a key; expected"));
  }
  EXPECT_FALSE(DetachKeys::parse(""));
}

}  // namespace
}  // namespace talaria::front::cli
