// What a command might try to get at the password with which its sudo works. Whatever it gets goes
// to a file, since asterisks stand for it in the output.
#include <gmock/gmock.h>

#include "sudo/sudo_user.h"

namespace talaria::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class SudoTheftTest : public SudoUserTest {
 protected:
  // The command works with sudo itself, and then tries.
  void expect_nothing_stolen(const std::string& attempt) {
    std::filesystem::remove(world_.path("work/stolen"));
    const std::string printed = output("sudo id -un; " + attempt);
    EXPECT_THAT(printed, testing::StartsWith("root\n")) << attempt;
    EXPECT_THAT(printed, Not(HasSubstr("***"))) << attempt;
    EXPECT_THAT(written("stolen"), Not(HasSubstr("horse"))) << attempt;
    EXPECT_THAT(printed + written("stolen"), HasSubstr("there is no password for this")) << attempt;
  }

  void script(const std::string& name, const std::string& text) {
    const std::string path = world_.path("work/" + name);
    std::ofstream(path) << text;
    ::chmod(path.c_str(), 0755);
  }
};

TEST_F(SudoTheftTest, ThePrograms) {
  script("thief", "#!/bin/sh\nexec \"$REAL\" x >stolen 2>&1\n");
  script("parent", "#!/bin/sh\n\"$REAL\" x >stolen 2>&1\nexit 1\n");
  script("pipe", "#!/bin/sh\n\"$REAL\" x 2>&1 | cat >stolen\n");
  const char* const attempts[] = {
      "\"$SUDO_ASKPASS\" x >stolen",
      "\"$SUDO_ASKPASS\" x | cat >stolen",
      "(exec -a sudo bash -c '\"$SUDO_ASKPASS\" x; true' >stolen)",
      "cp /bin/bash ./sudo; ./sudo -c '\"$SUDO_ASKPASS\" x; true' >stolen",
      // Started by the real sudo, but with an output of its own.
      "REAL=$SUDO_ASKPASS SUDO_ASKPASS=$PWD/thief sudo id",
      "REAL=$SUDO_ASKPASS SUDO_ASKPASS=$PWD/parent sudo id",
      "REAL=$SUDO_ASKPASS SUDO_ASKPASS=$PWD/pipe sudo id",
      // As the command of a sudo that need not ask, since it changes nothing.
      "sudo -u pat env TALARIA_ASKPASS=$TALARIA_ASKPASS \"$SUDO_ASKPASS\" x >stolen",
      "sudo -u pat env TALARIA_ASKPASS=$TALARIA_ASKPASS \"$SUDO_ASKPASS\" x | cat >stolen",
      "sudo env TALARIA_ASKPASS=$TALARIA_ASKPASS \"$SUDO_ASKPASS\" x | cat >stolen",
      // With a nonce that is not its own.
      "TALARIA_ASKPASS= sudo id",
      "TALARIA_ASKPASS=0123456789abcdef0123456789abcdef sudo id",
  };
  for (const char* attempt : attempts) expect_nothing_stolen(attempt);
}

// Then sudo makes the pipes of its command itself, and copies what comes out of them.
TEST_F(SudoTheftTest, ASudoThatRecordsItsCommands) {
  make_user(kPassword, "Defaults log_output\npat ALL=(ALL) ALL");
  expect_nothing_stolen(
      "sudo -u pat env TALARIA_ASKPASS=$TALARIA_ASKPASS \"$SUDO_ASKPASS\" x | cat >stolen");
  make_user(kPassword, "Defaults log_output, use_pty\npat ALL=(ALL) ALL");
  expect_nothing_stolen(
      "sudo -u pat env TALARIA_ASKPASS=$TALARIA_ASKPASS \"$SUDO_ASKPASS\" x | cat >stolen");
}

// Then a second process of sudo's stands between it and its command.
TEST_F(SudoTheftTest, ASudoThatRecordsItsCommandsOnATerminal) {
  make_user(kPassword, "Defaults log_output, use_pty\npat ALL=(ALL) ALL");
  script("try",
         "#!/bin/sh\nsudo -u pat env TALARIA_ASKPASS=$TALARIA_ASKPASS \"$SUDO_ASKPASS\" x "
         "2>complaint | cat >stolen\ncat complaint\n");
  expect_nothing_stolen("script -qec ./try /dev/null");
}

// Who speaks with the socket need not be our program. It is started by sudo, so that it is the one
// that may ask, and offers other descriptors than sudo's.
TEST_F(SudoTheftTest, AProgramOfItsOwn) {
  script("thief", R"py(#!/usr/bin/python3
import os, socket, sys
stolen = open("stolen", "ab", buffering=0)
def ask(fds):
    s = socket.socket(socket.AF_UNIX)
    s.connect(os.path.dirname(os.environ["REAL"]) + "/askpass.sock")
    if fds:
        socket.send_fds(s, [os.environ["TALARIA_ASKPASS"].encode()], fds)
    else:
        s.send(os.environ["TALARIA_ASKPASS"].encode())
    return s.recv(100)
r, w = os.pipe()
os.mkfifo("fifo")
fifo = os.open("fifo", os.O_RDWR)
null = os.open("/dev/null", os.O_WRONLY)
answers = [ask([w]), ask([fifo]), ask([stolen.fileno()]), ask([null]), ask([]), ask([1, w])]
stolen.write(b" ".join(answers) + b" there is no password for this")
for fd in (r, fifo):
    os.set_blocking(fd, False)
    try:
        stolen.write(os.read(fd, 1000))
    except BlockingIOError:
        pass
)py");
  expect_nothing_stolen("REAL=$SUDO_ASKPASS SUDO_ASKPASS=$PWD/thief sudo id");
  EXPECT_THAT(written("stolen"), HasSubstr("n n n n n n "));
}

TEST_F(SudoTheftTest, AfterTheCommandThereIsNone) {
  output(
      "sudo true; (until [ -e go ]; do sleep 0.1; done; sudo id -un >late 2>&1; "
      "echo over >>late) >/dev/null 2>&1 &");
  const std::ofstream go(world_.path("work/go"));
  ASSERT_TRUE(eventually([&] { return written("late").ends_with("over\n"); }));
  EXPECT_THAT(written("late"), HasSubstr("there is no password for this"));
  EXPECT_THAT(written("late"), Not(HasSubstr("root")));
}

// One who says nothing, or much, holds nobody up.
TEST_F(SudoTheftTest, WhoOnlyConnectsHoldsNobodyUp) {
  script("many", R"py(#!/usr/bin/python3
import os, socket
path = os.path.dirname(os.environ["SUDO_ASKPASS"]) + "/askpass.sock"
open_ = []
for i in range(100):
    s = socket.socket(socket.AF_UNIX)
    s.connect(path)
    if i % 2:
        s.send(b"x" * 10000)
    open_.append(s)
os.system("sudo -A id -un")
)py");
  EXPECT_EQ(output("sudo true; ./many"), "root\n");
}

}  // namespace
}  // namespace talaria::test
