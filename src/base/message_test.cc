#include "base/message.h"

#include <gtest/gtest.h>

namespace talaria {
namespace {

TEST(Message, WordsAreFoundAndListed) {
  EXPECT_TRUE(has_word("local docker", "docker"));
  EXPECT_FALSE(has_word("local docker", "dock"));
  EXPECT_FALSE(has_word("", ""));
  EXPECT_EQ(listed_words("local docker"), "local, docker");
}

TEST(Message, ACountHasASingular) {
  EXPECT_EQ(counted(1, "command"), "1 command");
  EXPECT_EQ(counted(0, "command"), "0 commands");
  EXPECT_EQ(counted(2, "sandbox", "sandboxes"), "2 sandboxes");
}

TEST(Message, ASentenceEndsOnce) {
  EXPECT_EQ(as_sentence("not found"), "not found.");
  EXPECT_EQ(as_sentence("See the log."), "See the log.");
  EXPECT_EQ(as_sentence("Is it running?"), "Is it running?");
}

}  // namespace
}  // namespace talaria
