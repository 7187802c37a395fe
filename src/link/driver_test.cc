#include "link/driver.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <gtest/gtest.h>

#include "link/connection.h"
#include "testing/run_to_end.h"

namespace talaria::link {
namespace {

using std::chrono::milliseconds;

// The runner's end of one stream.
class FakeEnd : public std::enable_shared_from_this<FakeEnd> {
 public:
  struct Manners {
    bool greets = true;
    bool answers = true;  // requests
    bool pongs = true;
  };

  FakeEnd(const asio::any_io_executor& executor, int fd) : stream(executor, fd) {}

  void send() {
    const std::string bytes(connection.output());
    connection.wrote(bytes.size());
    asio::write(stream, asio::buffer(bytes));
  }

  // Takes what comes until the stream is closed.
  static Task<void> serve(std::shared_ptr<FakeEnd> self, Manners manners) {
    std::array<char, 4096> buffer;
    for (;;) {
      const auto [error, size] =
          co_await self->stream.async_read_some(asio::buffer(buffer), as_values);
      if (error) break;
      self->connection.receive({buffer.data(), size});
      while (const auto event = self->connection.next_event()) {
        if (std::get_if<ClientHello>(&*event) && manners.greets) {
          self->connection.accept({.instance = "r1"});
        }
        const auto* request = std::get_if<Request>(&*event);
        if (request == nullptr) continue;
        ++self->requests;
        if (manners.answers) self->connection.respond(request->id, "answer");
      }
      if (std::string_view(self->connection.output()).contains(kPong)) ++self->pings;
      if (self->pings > 0 && !manners.pongs) continue;
      self->send();
    }
    self->closed = true;
  }

  asio::posix::stream_descriptor stream;
  Connection connection = Connection::to_client();
  int requests = 0;
  int pings = 0;
  bool closed = false;

 private:
  static constexpr std::string_view kPong{"\x0e\0\0\0\x0a", 5};  // how the frame begins
};

// A driver whose streams lead to this test. What the n-th stream meets is scripts[n]; streams after
// the last cannot be opened.
class DriverTest : public testing::Test {
 protected:
  using Script = std::function<void(const std::shared_ptr<FakeEnd>&, ByteStream&)>;

  DriverTest() { ::signal(SIGPIPE, SIG_IGN); }

  std::shared_ptr<LinkDriver> driver(LinkDriverOptions options) {
    options.client.new_link_id = [] { return LinkId{}; };
    return std::make_shared<LinkDriver>(
        loop.get_executor(), [this] { return open_later(); }, options);
  }

  Task<Result<ByteStream>> open_later() {
    asio::steady_timer slowly(loop, opening);
    co_await slowly.async_wait(as_values);
    co_return open();
  }

  Result<ByteStream> open() {
    if (opened == scripts.size()) return fail(ErrorKind::unavailable, "no more streams");
    std::array<int, 2> fds{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds.data()) < 0) {
      return fail(Error::from_errno("socketpair"));
    }
    const auto executor = loop.get_executor();
    ByteStream stream{.reader = {executor, fds[0]}, .writer = {executor, ::dup(fds[0])}};
    scripts[opened++](std::make_shared<FakeEnd>(executor, fds[1]), stream);
    return stream;
  }

  Result<std::string> ask(const std::shared_ptr<LinkDriver>& link) {
    return test::run_to_end(loop, link->call(Status{}));
  }

  // A stream whose other end refused us and is closed before anything was written to it.
  static Script refuse(CloseReason reason, const std::string& message) {
    return [reason, message](const std::shared_ptr<FakeEnd>& end, ByteStream&) {
      end->connection.receive(Connection::to_runner({}).output());
      end->connection.next_event();
      end->connection.refuse({.instance = "r1"}, reason, message);
      end->send();
    };
  }

  // A stream that meets a runner with these manners.
  Script meet(FakeEnd::Manners manners) {
    return [this, manners](const std::shared_ptr<FakeEnd>& end, ByteStream&) {
      ends.push_back(end);
      spawn(loop.get_executor(), FakeEnd::serve(end, manners));
    };
  }

  asio::io_context loop{1};
  std::vector<Script> scripts;
  std::size_t opened = 0;
  milliseconds opening{0};  // what it takes
  std::vector<std::shared_ptr<FakeEnd>> ends;
};

LinkDriverOptions short_limits() {
  return {.patience = milliseconds(500),
          .ask_after = milliseconds(20),
          .answer_within = milliseconds(500)};
}

// The refusal was there to be read, but the write that met the closed stream threw it away; then
// the driver tried again and again, and in the end could not say why.
TEST_F(DriverTest, ReadsTheRefusalBehindAWriteError) {
  scripts = {refuse(CloseReason::version, "this one is too old")};
  const auto answer = ask(driver({.patience = milliseconds(100)}));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind(), ErrorKind::unavailable);
  EXPECT_NE(answer.error().message().find("too old"), std::string::npos)
      << answer.error().message();
}

TEST_F(DriverTest, NamesTheReasonOfARefusalThatMayPass) {
  scripts.assign(100, refuse(CloseReason::busy, "no room"));
  const auto answer = ask(driver({.patience = milliseconds(50)}));
  ASSERT_FALSE(answer);
  EXPECT_GT(opened, 1u);
  EXPECT_NE(answer.error().message().find("no room"), std::string::npos)
      << answer.error().message();
}

// A target that was made anew took longer than the patience; what came first over the stream to it
// was that it is another one, and that was the end.
TEST_F(DriverTest, WhatItTakesToOpenAStreamIsNoPartOfThePatience) {
  opening = milliseconds(1100);
  scripts = {refuse(CloseReason::busy, "not yet"), meet({})};
  const auto answer = ask(driver({.patience = milliseconds(1000)}));
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_EQ(opened, 2u);
}

// Both said no more than that the stream broke.
TEST_F(DriverTest, ShowsWhatCameInsteadOfThePreamble) {
  const struct {
    const char* name;
    std::string printed;
  } cases[] = {
      {"the stream ends", "Permission denied"},
      {"too much comes",
       std::string(kMaxPreamble, '.') + "Permission denied" + std::string(99, '.')},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const auto print = [&](const std::shared_ptr<FakeEnd>& end, ByteStream& stream) {
      stream.preamble.emplace("nonce");
      stream.about = [] { return "`ssh host` says: no"; };
      asio::write(end->stream, asio::buffer(c.printed));
    };
    scripts.assign(100, print);
    opened = 0;
    const auto answer = ask(driver({.patience = milliseconds(50)}));
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().kind(), ErrorKind::unavailable);
    EXPECT_NE(answer.error().message().find("Permission denied"), std::string::npos)
        << answer.error().message();
    EXPECT_TRUE(answer.error().message().ends_with("(`ssh host` says: no)"));
  }
}

// A call to a runner that was stopped, or over an ssh that hung, never came back.
TEST_F(DriverTest, GivesUpAStreamThatBringsNoGreeting) {
  scripts = {[&](const std::shared_ptr<FakeEnd>& end, ByteStream& stream) {
    stream.about = [] { return "pid 4711"; };
    meet({.greets = false})(end, stream);
  }};
  const auto answer = ask(driver(short_limits()));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind(), ErrorKind::unavailable);
  EXPECT_NE(answer.error().message().find("no answer in 0.5 s"), std::string::npos);
  EXPECT_NE(answer.error().message().find("(pid 4711)"), std::string::npos);
  loop.restart();
  loop.run();  // comes to rest: the stream was closed
  EXPECT_TRUE(ends[0]->closed);
}

TEST_F(DriverTest, AsksASilentRunnerAndGoesOnOverANewStream) {
  scripts = {meet({.answers = false, .pongs = false}), meet({})};
  const auto answer = ask(driver(short_limits()));
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_EQ(*answer, "answer");
  EXPECT_EQ(ends[0]->pings, 1);
  EXPECT_EQ(ends[0]->requests, 1);
  EXPECT_EQ(ends[1]->requests, 1);
}

TEST_F(DriverTest, ARunnerThatAnswersPingsMayTakeItsTime) {
  scripts = {meet({.answers = false})};
  const auto link = driver(short_limits());
  const auto pending = link->begin(Status{});
  ASSERT_TRUE(pending);
  while (ends.empty() || ends[0]->pings < 50) loop.run_one();  // far beyond every limit
  EXPECT_FALSE(ends[0]->closed);
  EXPECT_EQ(opened, 1u);
}

TEST_F(DriverTest, WhatWasAskedOfARunnerThatStaysSilentIsLost) {
  scripts = {meet({.answers = false, .pongs = false}), meet({.greets = false})};
  const auto answer = ask(driver(short_limits()));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind(), ErrorKind::runner_lost);
  EXPECT_NE(answer.error().message().find("no answer in"), std::string::npos);
}

// A timer per link would wake a controller with a thousand background commands for nothing.
TEST_F(DriverTest, ALinkWithoutCallsIsLeftAlone) {
  scripts = {meet({})};
  const auto link = driver(short_limits());
  ASSERT_TRUE(ask(link));
  loop.restart();
  loop.run_for(milliseconds(600));  // an alarm of the call's may still go off
  loop.restart();
  EXPECT_EQ(loop.run_for(milliseconds(300)), 0u);
  EXPECT_EQ(ends[0]->pings, 0);
  EXPECT_FALSE(ends[0]->closed);
}

// The line may have died meanwhile; nobody should wait long to learn that.
TEST_F(DriverTest, ACallAfterALongPauseAsksAtOnce) {
  scripts = {meet({})};
  const auto link = driver(short_limits());
  ASSERT_TRUE(ask(link));
  loop.restart();
  loop.run_for(milliseconds(600));
  ASSERT_TRUE(ask(link));
  EXPECT_EQ(ends[0]->pings, 1);
}

// Stopped and continued, or starved, this process finds its alarm gone off and the answer there.
// The event loop looks at streams before it looks at timers.
TEST_F(DriverTest, HeldUpItselfItReadsBeforeItJudges) {
  scripts = {meet({.answers = false})};
  const auto link = driver(short_limits());
  const auto pending = link->begin(Status{});
  ASSERT_TRUE(pending);
  while (ends.empty() || ends[0]->requests == 0) loop.run_one();
  for (int round = 0; round < 3; ++round) {
    while (ends[0]->pings <= round) loop.run_one();
    std::this_thread::sleep_for(milliseconds(600));
  }
  while (ends[0]->pings < 5) loop.run_one();
  EXPECT_FALSE(ends[0]->closed);
  EXPECT_EQ(opened, 1u);
}

// A batch that follows events waits for seconds, and every other call waited for it to end.
TEST_F(DriverTest, ABatchThatWaitsGivesWayToWhatIsNew) {
  scripts = {meet({}), meet({.answers = false}), meet({})};
  LinkDriverOptions options;
  options.batch_ms = 60'000;
  const auto link = driver(options);
  const auto waiting = link->begin(Status{});
  ASSERT_TRUE(waiting);
  while (!link->reached()) loop.run_one();
  ends[0]->stream.close();  // the first batch is only a greeting
  while (ends.size() < 2 || ends[1]->requests == 0) loop.run_one();
  const auto answer = ask(link);
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_EQ(opened, 3u);
  EXPECT_EQ(ends[1]->requests, 1);
  EXPECT_EQ(ends[2]->requests, 2);
  EXPECT_EQ(test::run_to_end(loop, link->finish(*waiting)), "answer");
}

// One that has not been greeted yet has not even begun to wait.
TEST_F(DriverTest, ABatchIsNotCutBeforeItsGreeting) {
  scripts = {meet({.greets = false})};
  LinkDriverOptions options = short_limits();
  options.batch_ms = 50;
  const auto link = driver(options);
  const auto first = link->begin(Status{});
  const auto second = link->begin(Status{});
  ASSERT_TRUE(first && second);
  const auto answer = test::run_to_end(loop, link->finish(*second));
  ASSERT_FALSE(answer);
  EXPECT_EQ(opened, 1u);
  EXPECT_NE(answer.error().message().find("no answer in"), std::string::npos)
      << answer.error().message();
}

TEST_F(DriverTest, ABatchThatBringsNothingIsGivenUpWithoutAPing) {
  scripts = {meet({.greets = false}), meet({.greets = false}), meet({})};
  LinkDriverOptions options = short_limits();
  options.batch_ms = 50;
  options.patience = milliseconds(100);
  const auto answer = ask(driver(options));
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().message().find("no answer in"), std::string::npos);
  EXPECT_EQ(ends[0]->pings, 0);
}

}  // namespace
}  // namespace talaria::link
