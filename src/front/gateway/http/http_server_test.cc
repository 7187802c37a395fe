#include "front/gateway/http/http_server.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <future>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria::front::gateway {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

// A connection that blocks.
class Peer {
 public:
  explicit Peer(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
      close();
    }
  }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  ~Peer() { close(); }

  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  // Until `mark`, the end, or nothing has come for too long.
  std::string read(std::string_view mark) {
    std::string text;
    while (mark.empty() || !text.contains(mark)) {
      pollfd ready{.fd = socket_, .events = POLLIN};
      if (::poll(&ready, 1, 20'000) <= 0) break;
      std::array<char, 4096> chunk;
      const ssize_t size = ::read(socket_, chunk.data(), chunk.size());
      if (size <= 0) break;
      text.append(chunk.data(), static_cast<std::size_t>(size));
    }
    return text;
  }
  std::string read_to_end() { return read(""); }

  // One of the two has something to read.
  static void wait_for(const Peer& first, const Peer& second) {
    std::array<pollfd, 2> ready{pollfd{.fd = first.socket_, .events = POLLIN},
                                pollfd{.fd = second.socket_, .events = POLLIN}};
    ::poll(ready.data(), ready.size(), 20'000);
  }

  // Away, and without a word.
  void reset() {
    const linger none{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &none, sizeof none);
    close();
  }
  void close() {
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  }

 private:
  int socket_;
};

class HttpServerTest : public testing::Test {
 protected:
  ~HttpServerTest() override {
    stop();
    loop_.stop();
    if (thread_.joinable()) thread_.join();
  }

  void serve(HttpServerLimits limits) {
    server_.emplace(
        loop_.get_executor(), [](const ServedRequest& head) { return receive(head); },
        [this](int status, const std::string&) { complaint_ = status; }, limits);
    const auto where = server_->listen({.host = "127.0.0.1"});
    ASSERT_TRUE(where) << where.error().message();
    port_ = static_cast<std::uint16_t>(std::stoi(where->substr(where->rfind(':') + 1)));
    thread_ = std::thread([this] { loop_.run(); });
  }

  void stop() {
    if (!server_) return;
    std::promise<void> over;
    asio::co_spawn(loop_, server_->stop(), [&](const std::exception_ptr&) { over.set_value(); });
    over.get_future().wait();
    server_.reset();
  }

  // "Authorization: no" is refused, "Authorization: yes" makes a client known.
  static Reception receive(const ServedRequest& head) {
    const std::string word = head.header("authorization");
    if (word == "no") return {.refusal = ServedResponse{.status = 401, .body = "no"}};
    return {.answer = [](ServedRequest request) { return answer(std::move(request)); },
            .authenticated = word == "yes"};
  }

  static Task<ServedResponse> answer(ServedRequest request) {
    ServedResponse response{.type = "text/plain", .body = request.path};
    if (request.path == "/size") response.body = std::to_string(request.body.size());
    if (request.path == "/slow") {
      asio::steady_timer timer(co_await asio::this_coro::executor, milliseconds(200));
      co_await timer.async_wait(as_values);
    }
    if (request.path == "/endless") {
      response.stream = [](ServedSink sink) -> Task<void> {
        while (co_await sink(std::string(65536, 'x'))) {
        }
      };
    }
    co_return response;
  }

  HttpTotals totals() {
    std::promise<HttpTotals> totals;
    asio::post(loop_, [&] { totals.set_value(server_->totals()); });
    return totals.get_future().get();
  }
  // So many were accepted since the beginning, and of these so many are open.
  bool gets_to(std::uint64_t accepted, std::uint64_t open) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (std::chrono::steady_clock::now() < until) {
      const HttpTotals now = totals();
      if (now.accepted == accepted && now.open == open) return true;
      std::this_thread::sleep_for(milliseconds(2));
    }
    return false;
  }

  asio::io_context loop_;
  asio::executor_work_guard<asio::io_context::executor_type> work_ = asio::make_work_guard(loop_);
  std::optional<HttpServer> server_;
  std::thread thread_;
  std::uint16_t port_ = 0;
  std::atomic<int> complaint_ = 0;
};

std::string get(const std::string& path, const std::string& authorization = "") {
  return "GET " + path + " HTTP/1.1\r\nHost: h\r\n" +
         (authorization.empty() ? "" : "Authorization: " + authorization + "\r\n") + "\r\n";
}

TEST_F(HttpServerTest, RequestsOfOneConnectionAreAnsweredInTheirOrder) {
  serve({});
  Peer peer(port_);
  ASSERT_TRUE(peer.send(get("/slow") + get("/a") + get("/b")));
  const std::string all = peer.read("\r\n\r\n/b");
  EXPECT_LT(all.find("/slow"), all.find("/a"));
  EXPECT_LT(all.find("/a"), all.find("/b"));
}

TEST_F(HttpServerTest, WhoeverIsTooSlowIsToldAndClosed) {
  serve({.idle = milliseconds(300), .head = milliseconds(300), .body = milliseconds(300)});
  Peer head(port_);
  ASSERT_TRUE(head.send("GET / HTTP/1.1\r\nHo"));
  EXPECT_THAT(head.read_to_end(), HasSubstr("HTTP/1.1 408 "));
  EXPECT_EQ(complaint_, 408);
  Peer body(port_);
  ASSERT_TRUE(body.send("POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nab"));
  EXPECT_THAT(body.read_to_end(), HasSubstr("HTTP/1.1 408 "));
  Peer idle(port_);
  EXPECT_EQ(idle.read_to_end(), "");
  EXPECT_TRUE(gets_to(3, 0));
}

TEST_F(HttpServerTest, WhoeverDoesNotReadIsGivenUp) {
  serve({.write = milliseconds(300)});
  Peer peer(port_);
  ASSERT_TRUE(peer.send(get("/endless")));
  EXPECT_TRUE(gets_to(1, 0));
}

TEST_F(HttpServerTest, ClientsThatGoAwayAnywhereLeaveNothing) {
  serve({});
  const std::string post = "POST /size HTTP/1.1\r\nContent-Length: 100000\r\n\r\n";
  for (int round = 0; round < 20; ++round) {
    for (const std::string& said : {std::string("GE"), post, post + std::string(5000, 'x'),
                                    get("/slow"), get("/endless"), get("/a") + get("/slow")}) {
      Peer peer(port_);
      ASSERT_TRUE(peer.send(said));
      if (round % 2 == 0) {
        peer.reset();
      } else {
        peer.close();
      }
    }
  }
  EXPECT_TRUE(gets_to(120, 0));
  Peer peer(port_);
  ASSERT_TRUE(peer.send(get("/still-here")));
  EXPECT_THAT(peer.read("/still-here"), HasSubstr("200 OK"));
}

TEST_F(HttpServerTest, OneTooManyIsToldAlsoIfItHasSaidMuch) {
  serve({.connections = {.connections = 2}});
  Peer first(port_);
  Peer second(port_);
  ASSERT_TRUE(first.send(get("/a", "yes")));
  ASSERT_TRUE(second.send(get("/b", "yes")));
  first.read("/a");
  second.read("/b");
  Peer third(port_);
  (void)third.send("POST / HTTP/1.1\r\nContent-Length: 50000\r\n\r\n" + std::string(50000, 'x'));
  EXPECT_THAT(third.read_to_end(), HasSubstr("HTTP/1.1 503 "));
  first.close();
  EXPECT_TRUE(second.send(get("/c")));
  EXPECT_THAT(second.read("/c"), HasSubstr("200 OK"));
}

// Closed at once, the connection took the answer with it: a client that sent more got a reset.
TEST_F(HttpServerTest, WhoeverStillSendsHearsWhyItIsRefused) {
  serve({.request = {.body_bytes = 1000}});
  Peer peer(port_);
  (void)peer.send("POST / HTTP/1.1\r\nContent-Length: 3000000\r\n\r\n");
  (void)peer.send(std::string(3'000'000, 'x'));
  EXPECT_THAT(peer.read_to_end(), HasSubstr("HTTP/1.1 413 "));
}

TEST_F(HttpServerTest, LongRequestsHaveSoMuchTogether) {
  serve({.connections = {.small_request = 1000, .long_requests = 50'000}});
  const std::string head = "POST /size HTTP/1.1\r\nContent-Length: 40001\r\n\r\n";
  Peer first(port_);
  ASSERT_TRUE(first.send(head + std::string(40'000, 'x')));
  Peer second(port_);
  (void)second.send(head + std::string(40'000, 'x'));
  Peer::wait_for(first, second);  // one is refused before the other is complete
  (void)second.send("x");
  (void)first.send("x");
  // Which of them came first nobody knows.
  const std::string answers = first.read("\r\n\r\n") + second.read("\r\n\r\n");
  EXPECT_THAT(answers, HasSubstr("200 OK"));
  EXPECT_THAT(answers, HasSubstr("503 "));
  Peer small(port_);
  ASSERT_TRUE(small.send("POST /size HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc"));
  EXPECT_THAT(small.read("\r\n\r\n3"), HasSubstr("200 OK"));
  // What was answered is given back.
  for (int i = 0; i < 5; ++i) {
    Peer next(port_);
    ASSERT_TRUE(next.send(head + std::string(40'001, 'x')));
    EXPECT_THAT(next.read("40001"), HasSubstr("200 OK")) << i;
    next.close();
  }
}

// The body of a client without a token was read to its end: eight of them took 256 MB, and nobody
// else could send a long request for two minutes.
TEST_F(HttpServerTest, TheBodyOfARefusedRequestIsNotRead) {
  serve({});
  Peer peer(port_);
  ASSERT_TRUE(
      peer.send("POST /size HTTP/1.1\r\nAuthorization: no\r\nContent-Length: 30000000\r\n"
                "Expect: 100-continue\r\n\r\n"));
  const std::string answer = peer.read_to_end();
  EXPECT_THAT(answer, HasSubstr("HTTP/1.1 401 "));
  EXPECT_THAT(answer, testing::Not(HasSubstr("100 Continue")));
  EXPECT_THAT(answer, HasSubstr("Connection: close"));
  EXPECT_TRUE(gets_to(1, 0));
}

TEST_F(HttpServerTest, ARefusedRequestThatIsCompleteKeepsItsConnection) {
  serve({});
  Peer peer(port_);
  ASSERT_TRUE(peer.send(get("/a", "no") + get("/b")));
  const std::string all = peer.read("\r\n\r\n/b");
  EXPECT_THAT(all, HasSubstr("HTTP/1.1 401 "));
  EXPECT_THAT(all, HasSubstr("HTTP/1.1 200 "));
}

// 1,024 connections that said nothing shut everybody out for 70 seconds.
TEST_F(HttpServerTest, SilentStrangersMakeRoom) {
  serve({.connections = {.connections = 3}});
  Peer known(port_);
  ASSERT_TRUE(known.send(get("/a", "yes")));
  known.read("/a");
  Peer oldest(port_);
  Peer silent(port_);
  ASSERT_TRUE(gets_to(3, 3));
  Peer next(port_);
  ASSERT_TRUE(next.send(get("/b", "yes")));
  EXPECT_THAT(next.read("\r\n\r\n/b"), HasSubstr("200 OK"));
  EXPECT_EQ(oldest.read_to_end(), "");
  ASSERT_TRUE(known.send(get("/c")));
  EXPECT_THAT(known.read("\r\n\r\n/c"), HasSubstr("200 OK"));
  EXPECT_TRUE(gets_to(4, 3));
}

TEST_F(HttpServerTest, StrangersOfOneAddressHaveALimit) {
  serve({.connections = {.strangers_per_address = 2}});
  Peer first(port_);
  Peer second(port_);
  ASSERT_TRUE(gets_to(2, 2));
  Peer third(port_);
  EXPECT_EQ(first.read_to_end(), "");
  ASSERT_TRUE(third.send(get("/a")));
  EXPECT_THAT(third.read("\r\n\r\n/a"), HasSubstr("200 OK"));
  EXPECT_TRUE(gets_to(3, 2));
}

TEST_F(HttpServerTest, AStrangerHasLessTimeThanAKnownClient) {
  serve({.idle = std::chrono::minutes(5), .head = milliseconds(300)});
  Peer known(port_);
  ASSERT_TRUE(known.send(get("/a", "yes")));
  known.read("/a");
  Peer silent(port_);
  EXPECT_EQ(silent.read_to_end(), "");
  ASSERT_TRUE(known.send(get("/b")));
  EXPECT_THAT(known.read("\r\n\r\n/b"), HasSubstr("200 OK"));
}

TEST_F(HttpServerTest, StoppedItAnswersWhatIsUnderWayAndClosesTheRest) {
  serve({});
  Peer idle(port_);
  Peer busy(port_);
  ASSERT_TRUE(busy.send(get("/a")));
  busy.read("/a");
  ASSERT_TRUE(busy.send(get("/slow")));
  ASSERT_TRUE(gets_to(2, 2));
  stop();
  EXPECT_EQ(idle.read_to_end(), "");
  const std::string last = busy.read_to_end();
  // Either it was begun, and is answered whole, or the connection was still idle.
  if (!last.empty()) {
    EXPECT_THAT(last, HasSubstr("Connection: close"));
    EXPECT_THAT(last, HasSubstr("/slow"));
  }
  Peer late(port_);
  EXPECT_FALSE(late.send(get("/a")));
}

}  // namespace
}  // namespace talaria::front::gateway
