#include "link/preamble.h"

#include <string>

#include <gtest/gtest.h>

namespace talaria::link {
namespace {

TEST(Preamble, IsFoundBehindWhateverTheTargetPrints) {
  const struct {
    const char* name;
    std::string stream;
    const char* rest;
  } cases[] = {
      {"nothing before", "TALARIA-LINK n1\n", ""},
      {"frames behind", "TALARIA-LINK n1\nframes", "frames"},
      {"a login message", "Last login: today\nTALARIA-LINK n1\nx", "x"},
      {"no newline before", "prompt> TALARIA-LINK n1\nx", "x"},
      {"another nonce first", "TALARIA-LINK n2\nTALARIA-LINK n1\nx", "x"},
      {"a longer nonce first", "TALARIA-LINK n11\nTALARIA-LINK n1\nx", "x"},
      {"a false start", "TALARIA-TALARIA-LINK n1\nx", "x"},
      {"bytes that are not text", std::string("\0\xff\n", 3) + "TALARIA-LINK n1\nx", "x"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    PreambleScanner at_once("n1");
    EXPECT_EQ(at_once.feed(c.stream).value(), true);
    EXPECT_EQ(at_once.rest(), c.rest);

    PreambleScanner by_byte("n1");
    bool found = false;
    std::string rest;
    for (const char byte : c.stream) {
      if (found) {
        rest.push_back(byte);
      } else {
        found = by_byte.feed(std::string(1, byte)).value();
      }
    }
    EXPECT_TRUE(found);
    EXPECT_EQ(by_byte.rest(), "");
    EXPECT_EQ(rest, c.rest);
  }
}

TEST(Preamble, GivesUpAfterItsBoundAndSaysWhatItSaw) {
  PreambleScanner scanner("n1");
  const std::string garbage = std::string(kMaxPreamble, 'g') + "\nsh: talaria: not found\n";
  const Result<bool> found = scanner.feed(garbage);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind(), ErrorKind::unavailable);
  EXPECT_NE(found.error().message().find("sh: talaria: not found"), std::string::npos);
  EXPECT_LT(found.error().message().size(), 1000u);
}

TEST(Preamble, MayStandRightAtTheBound) {
  PreambleScanner scanner("n1");
  EXPECT_EQ(scanner.feed(std::string(kMaxPreamble, 'g')).value(), false);
  EXPECT_EQ(scanner.feed("TALARIA-LINK n1\n").value(), true);
}

TEST(Preamble, AnEarlyEndReportsWhatWasPrinted) {
  PreambleScanner scanner("n1");
  EXPECT_EQ(scanner.ended().message(), "the stream ended before a runner spoke");
  EXPECT_EQ(scanner.feed("Permission\tdenied\n").value(), false);
  EXPECT_EQ(scanner.ended().message(),
            "the stream ended before a runner spoke; the target printed: Permission.denied ");
}

TEST(Preamble, NoncesAreLettersAndDigits) {
  EXPECT_TRUE(is_valid_nonce("aZ09"));
  EXPECT_TRUE(is_valid_nonce(std::string(kMaxNonce, 'x')));
  EXPECT_FALSE(is_valid_nonce(""));
  EXPECT_FALSE(is_valid_nonce(std::string(kMaxNonce + 1, 'x')));
  EXPECT_FALSE(is_valid_nonce("a b"));
  EXPECT_FALSE(is_valid_nonce("a;b"));
}

}  // namespace
}  // namespace talaria::link
