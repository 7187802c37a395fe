#include "environment/script_calls.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <vector>

#include <boost/asio/write.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "link/connection.h"
#include "link/script_messages.h"

namespace talaria::environment {
namespace {

using testing::ElementsAre;

// The runner's end of the link: it passes on what a script has sent, and hears the answers.
class FakeRunner : public std::enable_shared_from_this<FakeRunner> {
 public:
  FakeRunner(const asio::any_io_executor& executor, int fd) : stream_(executor, fd) {}

  Task<void> serve() {
    const auto self = shared_from_this();
    std::array<char, 4096> buffer;
    for (;;) {
      const auto [error, size] = co_await stream_.async_read_some(asio::buffer(buffer), as_values);
      if (error) co_return;
      connection_.receive({buffer.data(), size});
      while (const auto event = connection_.next_event()) {
        if (std::get_if<link::ClientHello>(&*event)) connection_.accept({.instance = "r1"});
        if (const auto* request = std::get_if<link::Request>(&*event)) take(*request);
      }
      const std::string bytes(connection_.output());
      connection_.wrote(bytes.size());
      boost::system::error_code gone;  // a peer that got everything may have closed the link
      asio::write(stream_, asio::buffer(bytes), gone);
      if (gone) co_return;
    }
  }

  std::string sent;              // by the script
  std::size_t enough = 0;        // the script ends after so many answers
  bool takes_answers = true;     // all but those that close
  std::vector<std::string> got;  // "connection number text"

 private:
  void take(const link::Request& request) {
    if (request.method == link::Method::script_calls) {
      calls_ = request.id;
      connection_.send_data(calls_, 0, sent);
      return;
    }
    const link::ScriptAnswer part = link::decode<link::ScriptAnswer>(request.body).value();
    got.push_back(std::to_string(part.connection) + " " + std::to_string(part.number) + " " +
                  (part.close ? "(close)" : part.data));
    if (takes_answers || part.close) {
      connection_.respond(request.id, std::string());
    } else {
      connection_.respond(request.id, fail(ErrorKind::limit, "too much"));
    }
    if (got.size() == enough) connection_.respond(calls_, std::string());
  }

  asio::posix::stream_descriptor stream_;
  link::Connection connection_ = link::Connection::to_client();
  link::ExchangeId calls_ = 0;
};

class ScriptLinesTest : public testing::Test {
 protected:
  ScriptLinesTest() {
    ::signal(SIGPIPE, SIG_IGN);
    std::array<int, 2> fds{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds.data()), 0);
    fd_ = fds[0];
    runner_ = std::make_shared<FakeRunner>(loop_.get_executor(), fds[1]);
  }

  Task<Result<link::ByteStream>> open() {
    co_return link::ByteStream{.reader = {loop_.get_executor(), fd_},
                               .writer = {loop_.get_executor(), ::dup(fd_)}};
  }

  // Each line by itself, a blank one by nothing.
  static Task<std::string> answer(std::string line, CancelToken /*cancel*/) {
    if (line.empty()) co_return "";
    co_return "<" + line + ">";
  }

  std::vector<std::string> answers_to(const std::string& sent, std::size_t enough) {
    runner_->sent = sent;
    runner_->enough = enough;
    link::LinkDriverOptions options;
    options.client.new_link_id = [] { return link::LinkId{}; };
    const auto driver = std::make_shared<link::LinkDriver>(
        loop_.get_executor(), [this] { return open(); }, options);
    const auto lines = std::make_shared<ScriptCalls>(driver, "p", ScriptSpec{.answer = answer});
    spawn(loop_.get_executor(), runner_->serve());
    spawn(loop_.get_executor(), serve(lines));
    loop_.run_for(std::chrono::seconds(20));
    return runner_->got;
  }

  Task<void> serve(std::shared_ptr<ScriptCalls> lines) {
    co_await lines->serve();
    lines->end();
    loop_.stop();
  }

  static std::string record(std::uint32_t connection, std::string_view bytes) {
    return link::encode_record({.connection = connection, .bytes = bytes});
  }

  asio::io_context loop_{1};
  int fd_ = -1;
  std::shared_ptr<FakeRunner> runner_;
};

// A blank line used up a number that was never given, and the runner waited for it.
TEST_F(ScriptLinesTest, OnlyWhatIsGivenHasANumber) {
  EXPECT_THAT(answers_to(record(1, "\n\na\n") + record(2, "\nb\n"), 2),
              ElementsAre("1 1 <a>", "2 2 <b>"));
}

TEST_F(ScriptLinesTest, AConnectionThatSendsNothingMoreIsClosedBehindItsAnswers) {
  EXPECT_THAT(answers_to(record(1, "a\n") + record(1, ""), 2),
              ElementsAre("1 1 <a>", "1 2 (close)"));
}

// The script waited for it until its patience was over.
TEST_F(ScriptLinesTest, AnAnswerThatCannotBeGivenClosesItsConnection) {
  runner_->takes_answers = false;
  EXPECT_THAT(answers_to(record(1, "a\n"), 2), ElementsAre("1 1 <a>", "1 1 (close)"));
}

}  // namespace
}  // namespace talaria::environment
