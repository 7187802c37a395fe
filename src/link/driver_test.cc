#include "link/driver.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string>
#include <vector>

#include <boost/asio/write.hpp>
#include <gtest/gtest.h>

#include "link/connection.h"
#include "testing/run_to_end.h"

namespace talaria {
namespace {

using std::chrono::milliseconds;

// The runner's end of one stream.
class FakeEnd {
 public:
  FakeEnd(const asio::any_io_executor& executor, int fd) : stream(executor, fd) {}

  void send() {
    const std::string bytes(connection.output());
    connection.wrote(bytes.size());
    asio::write(stream, asio::buffer(bytes));
  }

  asio::posix::stream_descriptor stream;
  Connection connection = Connection::to_client();
};

// A driver whose streams lead to this test. What the n-th stream meets is scripts[n]; streams after
// the last cannot be opened.
class DriverTest : public testing::Test {
 protected:
  using Script = std::function<void(std::shared_ptr<FakeEnd>, ByteStream&)>;

  DriverTest() { ::signal(SIGPIPE, SIG_IGN); }

  std::shared_ptr<LinkDriver> driver(LinkDriverOptions options) {
    options.client.new_link_id = [] { return LinkId{}; };
    return std::make_shared<LinkDriver>(
        loop.get_executor(), [this]() -> Task<Result<ByteStream>> { co_return open(); }, options);
  }

  Result<ByteStream> open() {
    if (opened == scripts.size()) return fail(ErrorKind::unavailable, "no more streams");
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) < 0) {
      return fail(Error::from_errno("socketpair"));
    }
    const auto executor = loop.get_executor();
    ByteStream stream{.reader = {executor, ends[0]}, .writer = {executor, ::dup(ends[0])}};
    scripts[opened++](std::make_shared<FakeEnd>(executor, ends[1]), stream);
    return stream;
  }

  Result<std::string> ask(const std::shared_ptr<LinkDriver>& link) {
    return run_to_end(loop, link->call(Status{}));
  }

  asio::io_context loop{1};
  std::vector<Script> scripts;
  std::size_t opened = 0;
};

// The refusal was there to be read, but the write that met the closed stream threw it away; then
// the driver tried again and again, and in the end could not say why.
TEST_F(DriverTest, ReadsTheRefusalBehindAWriteError) {
  const auto refuse = [](std::shared_ptr<FakeEnd> end, ByteStream&) {
    end->connection.receive(Connection::to_runner({}).output());
    end->connection.next_event();
    end->connection.refuse({.instance = "r1"}, CloseReason::version, "this one is too old");
    end->send();
  };  // closed before anything was written to it
  scripts = {refuse};
  const auto answer = ask(driver({.patience = milliseconds(100)}));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind(), ErrorKind::unavailable);
  EXPECT_NE(answer.error().message().find("too old"), std::string::npos)
      << answer.error().message();
}

TEST_F(DriverTest, NamesTheReasonOfARefusalThatMayPass) {
  const auto refuse = [](std::shared_ptr<FakeEnd> end, ByteStream&) {
    end->connection.receive(Connection::to_runner({}).output());
    end->connection.next_event();
    end->connection.refuse({.instance = "r1"}, CloseReason::busy, "no room");
    end->send();
  };
  scripts.assign(100, refuse);
  const auto answer = ask(driver({.patience = milliseconds(50)}));
  ASSERT_FALSE(answer);
  EXPECT_GT(opened, 1u);
  EXPECT_NE(answer.error().message().find("no room"), std::string::npos)
      << answer.error().message();
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
    const auto print = [&](std::shared_ptr<FakeEnd> end, ByteStream& stream) {
      stream.preamble.emplace("nonce");
      asio::write(end->stream, asio::buffer(c.printed));
    };
    scripts.assign(100, print);
    opened = 0;
    const auto answer = ask(driver({.patience = milliseconds(50)}));
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().kind(), ErrorKind::unavailable);
    EXPECT_NE(answer.error().message().find("Permission denied"), std::string::npos)
        << answer.error().message();
  }
}

}  // namespace
}  // namespace talaria
