// Screens of real programs, each on a terminal of its own.

#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/temporary_directory.h"
#include "tools/screen.h"

namespace talaria::tool {
namespace {

constexpr auto kPatience = std::chrono::seconds(20);

// A program on a terminal, and the screen of that.
class Drawn {
 public:
  Drawn(std::vector<std::string> argv, ScreenSize size) : screen_(size) {
    winsize window{};
    window.ws_row = static_cast<unsigned short>(size.rows);
    window.ws_col = static_cast<unsigned short>(size.cols);
    pid_ = ::forkpty(&terminal_, nullptr, nullptr, &window);
    if (pid_ == 0) run(std::move(argv));
  }
  Drawn(const Drawn&) = delete;
  Drawn& operator=(const Drawn&) = delete;
  ~Drawn() {
    ::kill(pid_, SIGKILL);
    ::close(terminal_);
    ::waitpid(pid_, nullptr, 0);
  }

  void type(std::string_view keys) {
    ASSERT_EQ(::write(terminal_, keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
  }

  void resize(ScreenSize size) {
    winsize window{};
    window.ws_row = static_cast<unsigned short>(size.rows);
    window.ws_col = static_cast<unsigned short>(size.cols);
    ASSERT_EQ(::ioctl(terminal_, TIOCSWINSZ, &window), 0);
    screen_.resize(size);
  }

  // Reads until some row contains the text; what is on the screen, if that does not happen.
  testing::AssertionResult shows(std::string_view text) {
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (!picture().contains(text)) {
      if (std::chrono::steady_clock::now() > until || !read_some()) {
        return testing::AssertionFailure() << "no '" << text << "' on\n" << picture();
      }
    }
    return testing::AssertionSuccess();
  }

  std::string picture() const {
    std::string all;
    for (const std::string& line : screen_.lines()) all += line + "\n";
    return all;
  }

  const Screen& screen() const { return screen_; }

 private:
  [[noreturn]] static void run(std::vector<std::string> argv) {
    std::vector<char*> words;
    for (std::string& word : argv) words.push_back(word.data());
    words.push_back(nullptr);
    const char* const variables[] = {"TERM=xterm-256color", "PATH=/usr/bin:/bin", "LANG=C.UTF-8",
                                     "HOME=/nonexistent",   "LESSHISTFILE=-",     nullptr};
    ::execvpe(words[0], words.data(), const_cast<char* const*>(variables));
    ::_exit(127);
  }

  // False at the end of its output.
  bool read_some() {
    char buffer[4096];
    pollfd waiting{.fd = terminal_, .events = POLLIN};
    if (::poll(&waiting, 1, 1000) == 0) return true;
    const ssize_t got = ::read(terminal_, buffer, sizeof buffer);
    if (got <= 0) return false;
    screen_.feed({buffer, static_cast<std::size_t>(got)});
    return true;
  }

  Screen screen_;
  pid_t pid_ = -1;
  int terminal_ = -1;
};

class ScreenPrograms : public testing::Test {
 protected:
  const test::TemporaryDirectory temporary_;
  const std::string directory_ = temporary_.path();
};

TEST_F(ScreenPrograms, VimIsSeenAsItIsTypedInto) {
  const std::string file = directory_ + "/notes";
  Drawn vim({"/bin/sh", "-c", "echo before; vim.tiny -n -u NONE '" + file + "'; echo after"},
            {12, 40});
  ASSERT_TRUE(vim.shows("[New"));
  EXPECT_TRUE(vim.screen().alternate());
  EXPECT_FALSE(vim.picture().contains("before"));
  vim.type("ifirst line\rsecond: é日\033");
  ASSERT_TRUE(vim.shows("second: é日"));
  EXPECT_EQ(vim.screen().lines()[0], "first line");
  EXPECT_EQ(vim.screen().lines()[2], "~");
  vim.type("ggdd:set nu\r");
  ASSERT_TRUE(vim.shows("1 second: é日"));
  vim.resize({6, 30});
  vim.type(":set nonu\r:wq\r");
  ASSERT_TRUE(vim.shows("after"));
  EXPECT_FALSE(vim.screen().alternate());
  EXPECT_TRUE(vim.picture().contains("before"));
  std::ifstream written(file);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(written), {}), "second: é日\n");
}

TEST_F(ScreenPrograms, LessShowsOnePage) {
  std::ofstream file(directory_ + "/numbers");
  for (int i = 1; i <= 500; ++i) file << "number " << i << "\n";
  file.close();
  Drawn less({"less", directory_ + "/numbers"}, {10, 40});
  ASSERT_TRUE(less.shows("number 9"));
  EXPECT_EQ(less.screen().lines()[0], "number 1");
  less.type("G");
  ASSERT_TRUE(less.shows("number 500\n(END)"));
  EXPECT_EQ(less.screen().lines()[0], "number 492");
  less.type("g");
  ASSERT_TRUE(less.shows("number 1\n"));
  less.type("/number 25\r");
  ASSERT_TRUE(less.shows("number 25\nnumber 26\n"));
  EXPECT_EQ(less.screen().lines()[0], "number 25");
}

TEST_F(ScreenPrograms, TopDrawsItsTable) {
  Drawn top({"top"}, {24, 100});
  ASSERT_TRUE(top.shows("Tasks:"));
  ASSERT_TRUE(top.shows("COMMAND"));
  EXPECT_THAT(top.screen().lines()[0], testing::StartsWith("top - "));
  EXPECT_THAT(top.screen().lines()[6], testing::ContainsRegex("PID +USER"));
}

TEST_F(ScreenPrograms, ThePythonPromptAnswers) {
  Drawn python({"/usr/bin/python3", "-q"}, {10, 60});
  ASSERT_TRUE(python.shows(">>>"));
  python.type("6 * 7\r");
  ASSERT_TRUE(python.shows("\n42\n>>>"));
  EXPECT_EQ(python.screen().lines()[0], ">>> 6 * 7");
  EXPECT_EQ(python.screen().cursor_row(), 2u);
  EXPECT_EQ(python.screen().cursor_col(), 4u);
  // Typed wrong, and corrected with the keys a person would use.
  python.type("print('abx')\033[D\033[D\177c\r");
  ASSERT_TRUE(python.shows("\nabc\n>>>"));
}

}  // namespace
}  // namespace talaria::tool
