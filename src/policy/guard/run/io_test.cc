#include "policy/guard/run/io.h"

#include <gtest/gtest.h>

namespace talaria::guard {
namespace {

SeenInput input_of_text(const char* text) {
  return text_input(std::make_shared<const std::string>(text));
}

SeenCommand echo_of(const char* word) {
  SeenCommand seen;
  seen.words = {{"echo"}, {word}};
  seen.program = "echo";
  return seen;
}

TEST(IoTest, WhatIsReadEndsWithItsScope) {
  const Situation now;
  Io io(now);
  io.set_input(input_of_text("a"));
  {
    const Io::Scope scope(io);
    io.set_input(input_of_text("b"));
    EXPECT_EQ(*io.input().text, "b");
  }
  EXPECT_EQ(*io.input().text, "a");
}

TEST(IoTest, ExecChangesItForGoodExceptInAShellOfItsOwn) {
  const Situation now;
  Io io(now);
  SeenCommand exec;
  exec.input = input_of_text("b");
  {
    const Io::Scope scope(io, /*apart=*/true);
    io.keep(exec);
  }
  EXPECT_EQ(io.input().text, nullptr);
  {
    const Io::Scope scope(io);
    io.keep(exec);
  }
  EXPECT_EQ(*io.input().text, "b");
}

TEST(IoTest, AListenerHearsWhatTheSameProgramRuns) {
  Situation now;
  Io io(now);
  Output printed;
  {
    const Io::Listening listening(io, &printed);
    io.print(echo_of("a"));
    SeenCommand other = echo_of("b");
    other.run_by = "xargs";
    io.print(other);
  }
  io.print(echo_of("c"));
  EXPECT_EQ(printed.text(), "a\n");
}

}  // namespace
}  // namespace talaria::guard
