#include "front/lines/line_server.h"

#include <signal.h>

#include <algorithm>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/limits.h"
#include "testing/fake_environment.h"
#include "testing/fake_runtime.h"
#include "testing/pipe.h"
#include "testing/run_to_end.h"

namespace talaria::front::lines {
namespace {

namespace json = boost::json;

using testing::ElementsAre;
using testing::HasSubstr;

// A client at the other end of two pipes.
class LineServerTest : public testing::Test {
 protected:
  LineServerTest() {
    ::signal(SIGPIPE, SIG_IGN);
    fake_->reply = [](const environment::CommandSpec& spec) {
      return test::FakeReply{test::printed(spec.command), {}, spec.command == "hang"};
    };
  }

  int serve() {
    return test::run_to_end(loop_, serve_lines(runtime_, {requests_.reader(), answers_.writer()}));
  }

  Task<void> serve(int in) { served_ = co_await serve_lines(runtime_, {in, answers_.writer()}); }

  // What each line of `text` answers, as "id output" or "id error-kind".
  static std::vector<std::string> summary(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
      const json::value answer = json::parse(line);
      std::string shown = json::serialize(answer.at("id")) + " ";
      if (const json::value* error = answer.as_object().if_contains("error")) {
        shown += error->at("kind").as_string();
      } else if (const json::value* output =
                     answer.at("result").as_object().if_contains("output")) {
        shown += output->as_string();
      } else {
        shown += json::serialize(answer.at("result"));
      }
      lines.push_back(shown);
    }
    return lines;
  }

  static std::string call(const std::string& id, const std::string& command) {
    return R"({"id":)" + id + R"(,"tool":"terminal","args":{"command":")" + command + "\"}}\n";
  }

  std::optional<int> served_;  // what serve() ended with
  std::shared_ptr<test::FakeTarget> fake_ = std::make_shared<test::FakeTarget>();
  asio::io_context loop_{1};
  // Without the log of what ran, whose file stays open with the runtime.
  AsioRuntime runtime_ = fake_runtime(loop_.get_executor(), fake_, {"TALARIA_AUDIT=0"});
  test::Pipe requests_;
  test::Pipe answers_;
};

TEST_F(LineServerTest, AnswersInTheOrderCallsEnd) {
  fake_->on_hang = [this] {
    requests_.close_writer();
    asio::post(loop_, [this] { fake_->release_hanging(); });
  };
  requests_.write(call("1", "hang") + call("2", "quick"));
  EXPECT_EQ(serve(), 0);
  EXPECT_THAT(summary(answers_.read_available()), ElementsAre("2 quick", "1 hang"));
}

TEST_F(LineServerTest, CancelEndsACallInTheMiddleWhileOthersGoOn) {
  fake_->on_hang = [this] {
    requests_.write("{\"id\":2,\"cancel\":1}\n");
    requests_.write(call("3", "after"));
    requests_.close_writer();
  };
  requests_.write(call("1", "hang"));
  EXPECT_EQ(serve(), 0);
  const std::string text = answers_.read_available();
  EXPECT_THAT(summary(text), testing::UnorderedElementsAre("2 {\"cancelled\":true}", "3 after",
                                                           "1 hang\n[Command interrupted]"));
  EXPECT_THAT(text, HasSubstr("\"exit_code\":130"));
}

TEST_F(LineServerTest, FinishesWhatRunsAtTheEndOfInput) {
  fake_->on_hang = [this] {
    requests_.close_writer();
    asio::post(loop_, [this] { fake_->release_hanging(); });
  };
  requests_.write(call("1", "hang"));
  EXPECT_EQ(serve(), 0);
  EXPECT_THAT(summary(answers_.read_available()), ElementsAre("1 hang"));
}

TEST_F(LineServerTest, GoesOnAfterALineItCannotRead) {
  requests_.write("nonsense\n" + call("1", "a"));
  requests_.close_writer();
  EXPECT_EQ(serve(), 0);
  EXPECT_THAT(summary(answers_.read_available()), ElementsAre("null bad_request", "1 a"));
}

TEST_F(LineServerTest, HandsTaskAndArgumentsToTheTool) {
  requests_.write(R"({"id":1,"tool":"terminal","args":{"command":"a","timeout":5},"task":"T"})"
                  "\n" +
                  call("2", "b"));
  requests_.close_writer();
  serve();
  EXPECT_EQ(fake_->asked.at(0).session, "T");
  EXPECT_EQ(fake_->asked.at(0).timeout, std::chrono::seconds(5));
  EXPECT_EQ(fake_->asked.at(1).session, "default");
}

TEST_F(LineServerTest, NamesTheToolsAndMethodsThereAre) {
  requests_.write(R"({"id":1,"tool":"teleport"})"
                  "\n"
                  R"({"id":2,"method":"env.drop"})"
                  "\n");
  requests_.close_writer();
  serve();
  const std::string text = answers_.read_available();
  EXPECT_THAT(summary(text), testing::UnorderedElementsAre("1 not_found", "2 not_found"));
  EXPECT_THAT(text, HasSubstr("unknown tool 'teleport'. Use one of: terminal"));
  EXPECT_THAT(text, HasSubstr("unknown method 'env.drop'; expected one of hello, stream.more"));
}

TEST_F(LineServerTest, AnUnknownParameterIsRefusedByName) {
  requests_.write(R"({"id":1,"method":"env.remove","params":{"name":"t"}})"
                  "\n"
                  R"({"id":2,"method":"env.list","params":{"all":true}})"
                  "\n"
                  R"({"id":3,"method":"events.subscribe","params":{"name":"mailer"}})"
                  "\n"
                  R"({"id":4,"method":"approvals.subscribe","params":{"session":"x"}})"
                  "\n");
  requests_.close_writer();
  serve();
  const std::string text = answers_.read_available();
  EXPECT_THAT(summary(text), testing::UnorderedElementsAre("1 bad_request", "2 bad_request",
                                                           "3 bad_request", "4 bad_request"));
  EXPECT_THAT(text, HasSubstr(R"(unknown key \"name\"; env.remove has id, all, force)"));
  EXPECT_THAT(text, HasSubstr(R"(unknown key \"all\"; env.list has none)"));
}

TEST_F(LineServerTest, RegistersVariablesAndFilesForTargets) {
  requests_.write(
      R"({"id":1,"method":"env.pass_through","params":{"names":["TENOR_API_KEY","ANTHROPIC_TOKEN",7]}})"
      "\n"
      R"({"id":2,"method":"files.share","params":{"files":["../../.ssh/id_rsa",{"name":"gone"},7]}})"
      "\n"
      R"({"id":3,"method":"files.share","params":{"files":"token"}})"
      "\n"
      R"({"id":4,"method":"env.pass_through"})"
      "\n");
  requests_.close_writer();
  serve();
  const std::vector<std::string> lines = summary(answers_.read_available());
  EXPECT_THAT(lines.at(0),
              testing::AllOf(HasSubstr(R"([{"name":"ANTHROPIC_TOKEN")"), HasSubstr(R"({"name":7,)"),
                             testing::Not(HasSubstr("TENOR"))));
  EXPECT_THAT(lines.at(1), testing::AllOf(HasSubstr(R"({"path":"../../.ssh/id_rsa","reason":)"),
                                          HasSubstr("leads out of"), HasSubstr(R"("gone")"),
                                          HasSubstr("not 7")));
  EXPECT_EQ(lines.at(2), "3 bad_request");
  EXPECT_EQ(lines.at(3), "4 bad_request");
}

TEST_F(LineServerTest, ListsEnvironmentsOnceTheyExist) {
  requests_.write(R"({"id":1,"method":"env.list"})"
                  "\n" +
                  call("2", "hang"));
  fake_->on_hang = [this] {
    requests_.write(R"({"id":3,"method":"env.list"})"
                    "\n"
                    R"({"id":4,"cancel":2})"
                    "\n");
    requests_.close_writer();
  };
  serve();
  const std::vector<std::string> lines = summary(answers_.read_available());
  EXPECT_THAT(lines.at(0), testing::StartsWith(R"(1 {"environments":[],"count":0,"task_ids":[])"));
  EXPECT_THAT(lines,
              testing::Contains(testing::StartsWith(
                  R"(3 {"environments":[{"id":"default","target":"local","transport":"link",)"
                  R"("place":"","persistent":false,"tasks":["default"],"last_use":)")));
}

TEST_F(LineServerTest, AnExceptionIsAnAnswerAndTheStreamGoesOn) {
  fake_->reply = [](const environment::CommandSpec& spec) {
    if (spec.command == "bug") throw std::runtime_error("oops");
    return test::FakeReply{test::printed("fine")};
  };
  requests_.write(call("1", "bug") + call("2", "x"));
  requests_.close_writer();
  EXPECT_EQ(serve(), 0);
  const std::string text = answers_.read_available();
  EXPECT_THAT(summary(text), ElementsAre("1 system", "2 fine"));
  EXPECT_THAT(text, HasSubstr("internal error in tool 'terminal': oops (a bug in Talaria)"));
}

TEST_F(LineServerTest, AStopSignalCancelsEverythingAndStillAnswers) {
  int hanging = 0;
  fake_->on_hang = [&] {
    if (++hanging == 2) ::raise(SIGTERM);
  };
  requests_.write(call("1", "hang") + call("2", "hang"));
  EXPECT_EQ(serve(), 128 + SIGTERM);
  EXPECT_THAT(summary(answers_.read_available()),
              testing::UnorderedElementsAre("1 hang\n[Command interrupted]",
                                            "2 hang\n[Command interrupted]"));
}

TEST_F(LineServerTest, AClientThatWentAwayEndsEverything) {
  fake_->on_hang = [this] { answers_.close_reader(); };
  requests_.write(call("1", "hang"));
  EXPECT_EQ(serve(), 1);
}

TEST_F(LineServerTest, AClientThatWentAwayBeforeItsAnswerEndsEverything) {
  answers_.close_reader();
  requests_.write(call("1", "a"));
  EXPECT_EQ(serve(), 1);
}

TEST_F(LineServerTest, ReadsAndWritesRegularFiles) {
  const int in = test::memory_file(call("1", "a") + call("2", "b"));
  const int out = test::memory_file("");
  EXPECT_EQ(test::run_to_end(loop_, serve_lines(runtime_, {in, out})), 0);
  std::string text(4096, '\0');
  text.resize(static_cast<std::size_t>(::pread(out, text.data(), text.size(), 0)));
  EXPECT_THAT(summary(text), ElementsAre("1 a", "2 b"));
  ::close(in);
  ::close(out);
}

TEST_F(LineServerTest, LeavesSharedDescriptorsAsTheyWere) {
  requests_.write(call("1", "a"));
  requests_.close_writer();
  const int flags = ::fcntl(answers_.writer(), F_GETFL);
  ASSERT_EQ(flags & O_NONBLOCK, 0);
  serve();
  EXPECT_EQ(::fcntl(answers_.writer(), F_GETFL), flags);
}

TEST_F(LineServerTest, RunsMoreCallsThanMayRunAtOnce) {
  const std::size_t count = 2 * kMaxRunningCalls + 1;
  std::string lines;
  for (std::size_t id = 0; id < count; ++id) lines += call(std::to_string(id), "a");
  const int in = test::memory_file(lines);
  const int out = test::memory_file("");
  EXPECT_EQ(test::run_to_end(loop_, serve_lines(runtime_, {in, out})), 0);
  std::string text(1 << 20, '\0');
  text.resize(static_cast<std::size_t>(::pread(out, text.data(), text.size(), 0)));
  EXPECT_EQ(summary(text).size(), count);
  EXPECT_EQ(fake_->made, 1);
  ::close(in);
  ::close(out);
}

TEST_F(LineServerTest, StopsTakingWorkWhileAClientDoesNotRead) {
  const std::string output(50'000, 'x');
  const std::size_t fills = kMaxUnsentBytes / output.size();
  const std::size_t count = 2 * fills + 2 * kMaxRunningCalls;
  fake_->reply = [&](const environment::CommandSpec&) {
    return test::FakeReply{test::printed(output)};
  };
  std::string lines;
  for (std::size_t id = 0; id < count; ++id) lines += call(std::to_string(id), "a");
  const int in = test::memory_file(lines);

  spawn(loop_.get_executor(), serve(in));
  while (loop_.poll() > 0) {
  }
  EXPECT_LE(fake_->asked.size(), fills + kMaxRunningCalls + 2);

  std::size_t answered = 0;
  while (!served_) {
    const std::string text = answers_.read_available();
    answered += static_cast<std::size_t>(std::ranges::count(text, '\n'));
    loop_.poll();
  }
  const std::string text = answers_.read_available();
  answered += static_cast<std::size_t>(std::ranges::count(text, '\n'));
  EXPECT_EQ(answered, count);
  EXPECT_EQ(served_, 0);
  ::close(in);
}

TEST_F(LineServerTest, LeavesNoDescriptorBehind) {
  const auto open_fds = [] {
    int count = 0;
    for (int fd = 0; fd < 256; ++fd) count += ::fcntl(fd, F_GETFD) != -1;
    return count;
  };
  requests_.write(call("1", "a"));
  requests_.close_writer();
  const int before = open_fds();
  test::run_to_end(serve_lines(runtime_, {requests_.reader(), answers_.writer()}));
  EXPECT_EQ(open_fds(), before);
}

}  // namespace
}  // namespace talaria::front::lines
