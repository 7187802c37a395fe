#include "front/stdio.h"

#include <pty.h>
#include <unistd.h>

#include <array>
#include <string>

#include <gtest/gtest.h>

namespace talaria::front {
namespace {

constexpr const char* kMessage =
    "the quick brown fox jumps over the lazy dog, and the lazy dog does not care about the fox at "
    "all, nor about foxes";

std::string read_some(int fd) {
  std::array<char, 4096> bytes{};
  const ssize_t size = ::read(fd, bytes.data(), bytes.size());
  return {bytes.data(), size > 0 ? static_cast<std::size_t>(size) : 0};
}

// What a terminal that has so many columns shows.
std::string shown_at(unsigned short columns, const std::string& message) {
  winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
  int outer = -1;
  int inner = -1;
  EXPECT_EQ(::openpty(&outer, &inner, nullptr, nullptr, &size), 0);
  complain({.err = inner}, message);
  std::string shown = read_some(outer);
  ::close(inner);
  ::close(outer);
  std::erase(shown, '\r');
  return shown;
}

TEST(Stdio, AnErrorIsWrappedAtTheWidthOfATerminal) {
  EXPECT_EQ(shown_at(60, kMessage),
            "talaria: the quick brown fox jumps over the lazy dog, and\n"
            "the lazy dog does not care about the fox at all, nor about\n"
            "foxes\n");
  const std::string at_most_100 =
      "talaria: the quick brown fox jumps over the lazy dog, and the lazy dog does not care about "
      "the fox\nat all, nor about foxes\n";
  EXPECT_EQ(shown_at(200, kMessage), at_most_100);
  EXPECT_EQ(shown_at(0, kMessage), at_most_100) << "one that does not know its width";
}

TEST(Stdio, LinesOfAnErrorStayApartAndLongWordsWhole) {
  EXPECT_EQ(shown_at(20, "one\n\ntwo"), "talaria: one\n\ntwo\n");
  const std::string path = "/" + std::string(40, 'p');
  EXPECT_EQ(shown_at(20, path + " is missing"), "talaria:\n" + path + "\nis missing\n");
}

TEST(Stdio, AnErrorForAProgramIsOneLine) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  complain({.err = ends[1]}, kMessage);
  EXPECT_EQ(read_some(ends[0]), "talaria: " + std::string(kMessage) + "\n");
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
}  // namespace talaria::front
