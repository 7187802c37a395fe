#include "link/registry.h"

#include <optional>
#include <string>

#include <gtest/gtest.h>

namespace talaria::link {
namespace {

ClientHello hello(char link, std::uint64_t connection, std::string expected = "",
                  bool resuming = false) {
  ClientHello hello;
  hello.link.bytes[0] = link;
  hello.connection = connection;
  hello.expected_instance = std::move(expected);
  hello.resuming = resuming;
  return hello;
}

TEST(LinkRegistry, DecidesWhoMaySpeakForALink) {
  const struct {
    const char* name;
    ClientHello hello;
    std::optional<CloseReason> refusal;
    bool known;
  } cases[] = {
      {"a new link", hello('n', 1), {}, false},
      {"a new link for this runner", hello('n', 1, "me"), {}, false},
      {"a new link for another runner", hello('n', 1, "other"), CloseReason::instance, false},
      {"a known link, next connection", hello('k', 6), {}, true},
      {"a known link, the same connection again", hello('k', 5), CloseReason::superseded, true},
      {"a known link, a late connection", hello('k', 4), CloseReason::superseded, true},
      {"a known link resumed", hello('k', 6, "me", true), {}, true},
      {"an unknown link resumed", hello('n', 2, "", true), CloseReason::unknown_link, false},
      {"an unknown link, nothing to resume", hello('n', 2), {}, false},
      {"never arrived, as it meant this runner", hello('n', 2, "me", true), {}, false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    LinkRegistry registry("me");
    registry.admit(hello('k', 5), 1);
    const Admission admission = registry.admit(c.hello, 2);
    EXPECT_EQ(admission.refusal, c.refusal);
    EXPECT_EQ(admission.message.empty(), !c.refusal.has_value());
    EXPECT_EQ(admission.known_link, c.known);
  }
}

TEST(LinkRegistry, RefusesAnotherMajorBeforeAnythingElse) {
  LinkRegistry registry("me");
  ClientHello newer = hello('n', 1, "other");
  newer.major = kProtocolMajor + 1;
  EXPECT_EQ(registry.admit(newer, 1).refusal, CloseReason::version);
  EXPECT_EQ(registry.known_links(), 0u);
}

TEST(LinkRegistry, ANewerConnectionTakesTheLinkOver) {
  LinkRegistry registry("me");
  registry.admit(hello('a', 1), 10);
  EXPECT_EQ(registry.admit(hello('a', 2), 11).superseded, 10u);
  registry.disconnected(hello('a', 1).link, 10);  // the end of the old one is known
  EXPECT_EQ(registry.live_connection(hello('a', 1).link), 11u);
  EXPECT_EQ(registry.live_links(), 1u);
  registry.disconnected(hello('a', 1).link, 11);
  EXPECT_EQ(registry.live_links(), 0u);
  EXPECT_EQ(registry.known_links(), 1u);
  EXPECT_EQ(registry.admit(hello('a', 3), 12).superseded, std::nullopt);
}

TEST(LinkRegistry, ForgetsTheLinkUnusedLongest) {
  LinkRegistry registry("me", 2);
  registry.admit(hello('a', 1), 1);
  registry.admit(hello('b', 1), 2);
  registry.disconnected(hello('b', 1).link, 2);
  registry.disconnected(hello('a', 1).link, 1);
  EXPECT_FALSE(registry.admit(hello('c', 1), 3).refusal);  // b goes
  EXPECT_TRUE(registry.admit(hello('a', 2, "me", true), 4).known_link);
}

// Once a link was forgotten, an unknown one may be it: its starts may have run.
TEST(LinkRegistry, TellsAForgottenLinkThatComesBack) {
  LinkRegistry registry("me", 1);
  registry.admit(hello('a', 1), 1);
  registry.disconnected(hello('a', 1).link, 1);
  registry.admit(hello('b', 1), 2);
  registry.disconnected(hello('b', 1).link, 2);
  EXPECT_EQ(registry.admit(hello('a', 2, "me", true), 3).refusal, CloseReason::unknown_link);
  EXPECT_FALSE(registry.admit(hello('a', 3, "me", false), 4).refusal);
}

TEST(LinkRegistry, KeepsLinksThatAreLiveOrHaveSomethingRunning) {
  LinkRegistry registry("me", 2);
  registry.admit(hello('a', 1), 1);
  registry.starts().begin(hello('a', 1).link, 1, "s1", "p1");
  registry.disconnected(hello('a', 1).link, 1);
  registry.admit(hello('b', 1), 2);
  EXPECT_EQ(registry.admit(hello('c', 1), 3).refusal, CloseReason::busy);
  registry.starts().finished("s1");
  EXPECT_FALSE(registry.admit(hello('c', 1), 3).refusal);
  EXPECT_EQ(registry.live_links(), 2u);
}

}  // namespace
}  // namespace talaria::link
