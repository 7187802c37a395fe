// Terminals and input over the wire: several who type at one process, sizes, and who waits for
// whom.
#include "support/process_test.h"

namespace talaria::test {
namespace {

class TerminalProcess : public ProcessTest {
 protected:
  link::Start on_terminal(const std::string& id, const std::string& command,
                          link::TerminalSize size = {}) {
    link::Start start = background(id, command);
    start.pty = size;
    return start;
  }
  link::Start with_stdin(const std::string& id, const std::string& command) {
    link::Start start = background(id, command);
    start.stdin_mode = link::StdinMode::stream;
    return start;
  }

  link::WriteReport write(const std::string& process, const std::string& data,
                          const std::string& writer) {
    return wire_->ask<link::WriteReport>(
        link::Write{.process = process, .data = data, .writer = writer});
  }
  link::WriteReport end_input(const std::string& process, const std::string& writer) {
    return wire_->ask<link::WriteReport>(
        link::Write{.process = process, .end = true, .writer = writer});
  }
  bool gets_to_wait(const std::string& process) {
    return eventually([&] { return entry(process).waiting_for_input; });
  }
};

TEST_F(TerminalProcess, CatIsTypedToAndEnds) {
  start(on_terminal("p1", "cat"));
  const link::ProcessEntry now = entry("p1");
  EXPECT_TRUE(now.pty);
  EXPECT_TRUE(now.takes_input);
  ASSERT_EQ(now.sizes.size(), 1u);
  EXPECT_EQ(now.sizes[0], (link::SizeChange{.size = {.rows = 30, .cols = 120}}));
  EXPECT_EQ(write("p1", "hello\n", "one").next, 6u);
  EXPECT_FALSE(end_input("p1", "two").closed);
  const link::ExitReport end = wait("p1");
  EXPECT_EQ(end.ended, link::Ended::exited);
  EXPECT_EQ(end.code, 0);
  EXPECT_EQ(end.tail, "hello\r\nhello\r\n");
  EXPECT_FALSE(entry("p1").takes_input);
  EXPECT_TRUE(write("p1", "late", "three").closed);
}

TEST_F(TerminalProcess, KilledByItselfIsKilledBySignal) {
  start(on_terminal("p1", "kill -9 $$"));
  const link::ExitReport end = wait("p1");
  EXPECT_EQ(end.ended, link::Ended::signaled);
  EXPECT_EQ(end.signal, 9u);
}

TEST_F(TerminalProcess, TwoWhoWriteDoNotDisturbEachOther) {
  start(with_stdin("p1", "cat"));
  EXPECT_EQ(write("p1", "a1 ", "a").next, 3u);
  EXPECT_EQ(write("p1", "b1 ", "b").next, 3u);
  // The answer was lost, say, and the request comes again.
  EXPECT_EQ(write("p1", "a1 ", "a").next, 3u);
  EXPECT_EQ(wire_
                ->ask<link::WriteReport>(
                    link::Write{.process = "p1", .from = 3, .data = "a2", .writer = "a"})
                .next,
            5u);
  EXPECT_EQ(wire_->kind_of(link::Write{.process = "p1", .from = 99, .data = "x", .writer = "b"}),
            "bad_request");
  EXPECT_EQ(entry("p1").input_next, 0u);
  EXPECT_TRUE(end_input("p1", "").closed);
  EXPECT_EQ(wait("p1").tail, "a1 b1 a2");
}

TEST_F(TerminalProcess, ASizeIsCheckedSetAndListed) {
  EXPECT_EQ(wire_->kind_of(on_terminal("p0", "true", {.rows = 1001, .cols = 80})), "bad_request");
  start(on_terminal("p1", "stty -echo; while read -r line; do stty size; done",
                    {.rows = 20, .cols = 60}));
  write("p1", "\n", "1");
  ASSERT_TRUE(prints("p1", "20 60\r\n"));
  EXPECT_EQ(wire_->kind_of(link::Resize{.process = "p1", .size = {.rows = 0, .cols = 80}}),
            "bad_request");
  EXPECT_EQ(wire_->kind_of(link::Resize{.process = "p1", .size = {.rows = 24, .cols = 1001}}),
            "bad_request");
  const std::uint64_t cursor = entry("p1").total;
  EXPECT_EQ(wire_->kind_of(link::Resize{.process = "p1", .size = {.rows = 24, .cols = 80}}), "");
  write("p1", "\n", "2");
  ASSERT_TRUE(prints("p1", "24 80\r\n"));
  const std::vector<link::SizeChange> expected{
      {.size = {.rows = 20, .cols = 60}}, {.cursor = cursor, .size = {.rows = 24, .cols = 80}}};
  EXPECT_EQ(entry("p1").sizes, expected);
  end_input("p1", "3");
  EXPECT_EQ(wait("p1").code, 0);
  EXPECT_EQ(wire_->kind_of(link::Resize{.process = "p1", .size = {.rows = 5, .cols = 5}}), "");
  EXPECT_EQ(wire_->kind_of(link::Resize{.process = "nobody", .size = {.rows = 5, .cols = 5}}),
            "not_found");
}

TEST_F(TerminalProcess, WithoutATerminalThereIsNothingToResize) {
  start("p1", "sleep 300");
  const auto answer = wire_->try_ask(link::Resize{.process = "p1", .size = {.rows = 5, .cols = 5}});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind(), ErrorKind::bad_request);
  EXPECT_NE(answer.error().message().find("no terminal"), std::string::npos);
}

TEST_F(TerminalProcess, WhoWaitsForInputIsSeen) {
  start(on_terminal("types", "python3 -q"));
  start(with_stdin("reads", "cat"));
  start(on_terminal("sleeps", "sleep 300"));
  start("apart", "sleep 300");
  EXPECT_FALSE(entry("reads").waiting_for_input);  // it has only begun
  EXPECT_TRUE(gets_to_wait("types"));
  EXPECT_TRUE(gets_to_wait("reads"));
  EXPECT_FALSE(entry("sleeps").waiting_for_input);
  EXPECT_FALSE(entry("apart").waiting_for_input);
  write("reads", "x", "w");
  EXPECT_FALSE(entry("reads").waiting_for_input);
  EXPECT_TRUE(gets_to_wait("reads"));
}

}  // namespace
}  // namespace talaria::test
