// What shells read before their command: bash is asked whether it can read it, and nobody waits.
#include "runner/shell/prelude.h"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "shell/script.h"
#include "testing/temporary_directory.h"

namespace talaria::runner {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kCheckTakes = std::chrono::milliseconds(800);

class PreludeCheck : public testing::Test {
 protected:
  PreludeCheck() { state_.functions["greet"] = {"greet () \n{ \n    echo hello\n}\n"}; }

  // A bash that takes its time to read a text, then does `then`.
  std::shared_ptr<Preludes> with_slow_bash(const std::string& then) {
    const std::string bash = temporary_.write("bash", "#!/bin/sh\nsleep 0.8\n" + then + "\n");
    ::chmod(bash.c_str(), 0700);
    auto preludes = Preludes::open(temporary_.path("prelude"), bash).value();
    preludes->check_on(loop_.get_executor());
    return preludes;
  }

  std::string text_of(const Prelude& prelude) const {
    const std::string relative = prelude.directory().substr(temporary_.path().size() + 1);
    return temporary_.read(relative + "/" + std::string(shell::kPreludeName));
  }

  std::string expected(shell::Definitions definitions) const {
    return shell::prelude_text(state_, definitions);
  }

  asio::io_context loop_;
  const test::TemporaryDirectory temporary_;
  shell::ShellState state_;
};

TEST_F(PreludeCheck, NobodyWaitsForIt) {
  const auto preludes = with_slow_bash("exit 0");
  const auto begun = Clock::now();
  const auto prelude = preludes->make(state_).value();
  EXPECT_LT(Clock::now() - begun, kCheckTakes / 2);
  EXPECT_EQ(text_of(*prelude), expected(shell::Definitions::guarded));
  // The loop does other things while bash reads.
  auto longest = Clock::duration::zero();
  for (auto last = Clock::now(); !loop_.stopped();) {
    loop_.run_one_for(std::chrono::milliseconds(5));
    longest = std::max(longest, Clock::now() - std::exchange(last, Clock::now()));
  }
  EXPECT_LT(longest, kCheckTakes / 2);
  EXPECT_GE(Clock::now() - begun, kCheckTakes);
  EXPECT_EQ(text_of(*prelude), expected(shell::Definitions::plain));
}

TEST_F(PreludeCheck, ATextThatBashCannotReadStaysGuarded) {
  const auto preludes = with_slow_bash("echo 'syntax error' >&2");
  const auto prelude = preludes->make(state_).value();
  loop_.run();
  EXPECT_EQ(text_of(*prelude), expected(shell::Definitions::guarded));
}

TEST_F(PreludeCheck, BashItselfReadsWhatItPrinted) {
  const auto preludes = Preludes::open(temporary_.path("prelude"), "/bin/bash").value();
  preludes->check_on(loop_.get_executor());
  const auto prelude = preludes->make(state_).value();
  loop_.run();
  EXPECT_EQ(text_of(*prelude), expected(shell::Definitions::plain));
}

}  // namespace
}  // namespace talaria::runner
