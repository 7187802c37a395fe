// A pseudo-terminal by itself: its size, and how it learns that there is no more.
#include "os/pty.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace talaria::os {
namespace {

class PtyTest : public testing::Test {
 protected:
  termios mode() const {
    termios now{};
    EXPECT_EQ(::tcgetattr(pty_.terminal.get(), &now), 0);
    return now;
  }
  void set(const termios& mode) { EXPECT_EQ(::tcsetattr(pty_.terminal.get(), TCSANOW, &mode), 0); }
  std::string end_after(char last) const { return end_of_input(pty_.master.get(), last); }

  Pty pty_ = open_pty({12, 34}).value();
};

TEST_F(PtyTest, HasTheSizeAskedFor) {
  winsize size{};
  ASSERT_EQ(::ioctl(pty_.terminal.get(), TIOCGWINSZ, &size), 0);
  EXPECT_EQ(size.ws_row, 12);
  EXPECT_EQ(size.ws_col, 34);
  ASSERT_TRUE(set_window_size(pty_.master.get(), {50, 60}));
  ASSERT_EQ(::ioctl(pty_.terminal.get(), TIOCGWINSZ, &size), 0);
  EXPECT_EQ(size.ws_row, 50);
  EXPECT_EQ(size.ws_col, 60);
}

TEST_F(PtyTest, ClosesOnExecAndDoesNotMakeUsWait) {
  EXPECT_NE(::fcntl(pty_.master.get(), F_GETFD) & FD_CLOEXEC, 0);
  EXPECT_NE(::fcntl(pty_.terminal.get(), F_GETFD) & FD_CLOEXEC, 0);
  char byte = 0;
  EXPECT_EQ(::read(pty_.master.get(), &byte, 1), -1);
  EXPECT_EQ(errno, EAGAIN);
  pty_.terminal.reset();
  EXPECT_EQ(::read(pty_.master.get(), &byte, 1), -1);
  EXPECT_EQ(errno, EIO);
}

TEST_F(PtyTest, EndOfInputIsTypedTwiceBehindALineThatWasBegun) {
  EXPECT_EQ(end_after('\n'), "\x04");
  EXPECT_EQ(end_after('\r'), "\x04");
  EXPECT_EQ(end_after('x'), "\x04\x04");
  EXPECT_EQ(end_after('\0'), "\x04\x04");
  EXPECT_EQ(end_after('\x04'), "\x04");
}

TEST_F(PtyTest, EndOfInputIsTheTerminalsOwnCharacter) {
  termios changed = mode();
  changed.c_cc[VEOF] = 'Z';
  set(changed);
  EXPECT_EQ(end_after('x'), "ZZ");
  changed.c_cc[VEOF] = _POSIX_VDISABLE;
  set(changed);
  EXPECT_EQ(end_after('\n'), "\x04");
}

TEST_F(PtyTest, WithoutLinesTheEndIsTypedOnce) {
  termios raw = mode();
  ::cfmakeraw(&raw);
  set(raw);
  EXPECT_EQ(end_after('x'), "\x04");
}

}  // namespace
}  // namespace talaria::os
