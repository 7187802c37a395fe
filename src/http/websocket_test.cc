#include "http/websocket.h"

#include <openssl/sha.h>

#include <functional>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <gmock/gmock.h>

#include "base/base64.h"
#include "base/event.h"
#include "testing/run_to_end.h"

namespace talaria::http {
namespace {

using asio::ip::tcp;
using std::chrono::milliseconds;
using testing::HasSubstr;

// The other side of one connection, as bytes: it says what no library would.
class Peer {
 public:
  explicit Peer(tcp::socket socket) : socket_(std::move(socket)) {}

  // The head of the request.
  Task<std::string> asked() {
    std::string head;
    co_await asio::async_read_until(socket_, asio::dynamic_buffer(head), "\r\n\r\n", as_values);
    co_return head;
  }

  Task<void> say(std::string bytes) {
    co_await asio::async_write(socket_, asio::buffer(bytes), as_values);
  }

  // Takes the connection over from HTTP.
  Task<std::string> accept(std::string more_headers = "") {
    std::string head = co_await asked();
    const std::string name = "Sec-WebSocket-Key: ";
    const std::string key = head.substr(head.find(name) + name.size(), 24);
    const std::string text = key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    std::array<unsigned char, SHA_DIGEST_LENGTH> digest;
    SHA1(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
    const std::string_view bytes(reinterpret_cast<const char*>(digest.data()), digest.size());
    co_await say("HTTP/1.1 101 Continue\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
                 more_headers + "Sec-WebSocket-Accept: " + base64(bytes) + "\r\n\r\n");
    co_return head;
  }

  struct Frame {
    int kind = -1;  // -1: the connection ended
    std::string bytes;
  };

  // One frame of the client's, without its mask. (Short ones only.)
  Task<Frame> heard() {
    std::array<unsigned char, 6> head;
    const auto [error, size] = co_await asio::async_read(socket_, asio::buffer(head), as_values);
    if (error) co_return Frame{};
    Frame frame{.kind = head[0] & 15, .bytes = std::string(head[1] & 127, '\0')};
    co_await asio::async_read(socket_, asio::buffer(frame.bytes), as_values);
    for (std::size_t at = 0; at < frame.bytes.size(); ++at) {
      frame.bytes[at] = static_cast<char>(frame.bytes[at] ^ head[2 + at % 4]);
    }
    co_return frame;
  }

  void cut() {
    socket_.set_option(tcp::socket::linger(true, 0));
    socket_.close();
  }

 private:
  tcp::socket socket_;
};

std::string frame(int kind, const std::string& bytes, bool last = true) {
  std::string head{static_cast<char>((last ? 128 : 0) | kind)};
  if (bytes.size() < 126) {
    head += static_cast<char>(bytes.size());
  } else {
    head += {126, static_cast<char>(bytes.size() >> 8), static_cast<char>(bytes.size())};
  }
  return head + bytes;
}

constexpr int kMore = 0;
constexpr int kText = 1;
constexpr int kBinary = 2;
constexpr int kClose = 8;
constexpr int kPing = 9;
constexpr int kPong = 10;

using Serve = std::function<Task<void>(Peer&)>;
using Opened = std::expected<std::unique_ptr<WebSocket>, WebSocket::Refusal>;
using Use = std::function<Task<void>(WebSocket&)>;

class WebSocketTest : public testing::Test {
 protected:
  WebSocketTest() {
    options_.url = *parse_websocket_url(
        "ws://127.0.0.1:" + std::to_string(listener_.local_endpoint().port()) + "/a?b=c");
  }

  // What opening brings while `serve` is the server; then `use`, if it was opened.
  WebSocket::Refusal meet(Serve serve, Use use = {}) {
    spawn(loop_.get_executor(), take(std::move(serve)));
    return test::run_to_end(loop_, open(std::move(use)));
  }

  asio::io_context loop_{1};
  WebSocket::Options options_;

 private:
  // The connection stays open until the test ends.
  Task<void> take(Serve serve) {
    auto [error, socket] = co_await listener_.async_accept(as_values);
    Peer peer(std::move(socket));
    co_await serve(peer);
    AsyncEvent never;
    co_await never.wait();
  }

  Task<WebSocket::Refusal> open(Use use) {
    Opened opened = co_await WebSocket::open(options_, std::make_shared<TlsTrust>());
    if (!opened) co_return opened.error();
    if (use) co_await use(**opened);
    co_return WebSocket::Refusal{};
  }

  tcp::acceptor listener_{loop_, tcp::endpoint(asio::ip::address_v4::loopback(), 0)};
};

TEST_F(WebSocketTest, CarriesMessagesBothWays) {
  options_.headers = {{"Authorization", "Bearer me"}};
  options_.protocols = {"one", "two"};
  std::string asked;
  std::vector<Peer::Frame> heard;
  const Serve serve = [&](Peer& peer) -> Task<void> {
    asked = co_await peer.accept("Sec-WebSocket-Protocol: two\r\n");
    co_await peer.say(frame(kText, "hello"));
    heard.push_back(co_await peer.heard());
    co_await peer.say(frame(kBinary, "in ", false) + frame(kPing, "there?") + frame(kMore, "two"));
    heard.push_back(co_await peer.heard());
    heard.push_back(co_await peer.heard());
  };
  const Use use = [](WebSocket& socket) -> Task<void> {
    EXPECT_EQ(socket.protocol(), "two");
    const auto first = co_await socket.read();
    EXPECT_TRUE(first && *first && (*first)->is_text && (*first)->bytes == "hello");
    EXPECT_TRUE(co_await socket.send(std::string_view("\0\xff", 2)));
    const auto second = co_await socket.read();
    EXPECT_TRUE(second && *second && !(*second)->is_text && (*second)->bytes == "in two");
    EXPECT_TRUE(co_await socket.send("text", true));
  };
  EXPECT_EQ(meet(serve, use).error.message(), "");
  loop_.restart();
  while (heard.size() < 3) loop_.run_one();
  EXPECT_THAT(asked, HasSubstr("GET /a?b=c HTTP/1.1\r\n"));
  EXPECT_THAT(asked, HasSubstr("Authorization: Bearer me\r\n"));
  EXPECT_THAT(asked, HasSubstr("Sec-WebSocket-Protocol: one, two\r\n"));
  EXPECT_THAT(asked, testing::Not(HasSubstr("deflate")));
  EXPECT_EQ(heard[0].kind, kBinary);
  EXPECT_EQ(heard[0].bytes, std::string("\0\xff", 2));
  EXPECT_EQ(heard[1].kind, kPong);
  EXPECT_EQ(heard[1].bytes, "there?");
  EXPECT_EQ(heard[2].kind, kText);
  EXPECT_EQ(heard[2].bytes, "text");
}

TEST_F(WebSocketTest, TellsWhatTheServerAnswersInstead) {
  const struct {
    const char* name;
    std::string answer;
    unsigned status;
    std::string message;
    std::string body;
  } cases[] = {
      {"words", "401 Unauthorized\r\nContent-Length: 5\r\n\r\nno!!!", 401,
       "127.0.0.1: HTTP 401 Unauthorized", "no!!!"},
      {"nothing", "404 Not Found\r\nContent-Length: 0\r\n\r\n", 404,
       "127.0.0.1: HTTP 404 Not Found", ""},
      {"chunks", "502 Bad\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n", 502,
       "127.0.0.1: HTTP 502 Bad", "ab"},
      {"much", "500 Sorry\r\nContent-Length: 100000\r\n\r\n" + std::string(100'000, 'x'), 500,
       "127.0.0.1: HTTP 500 Sorry", std::string(4096, 'x')},
      {"a page", "200 OK\r\nContent-Length: 2\r\n\r\nhi", 200, "127.0.0.1: HTTP 200 OK", "hi"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const WebSocket::Refusal refusal = meet([&c](Peer& peer) -> Task<void> {
      co_await peer.asked();
      co_await peer.say("HTTP/1.1 " + c.answer);
    });
    EXPECT_EQ(refusal.error.message(), c.message);
    EXPECT_EQ(refusal.status, c.status);
    EXPECT_EQ(refusal.body, c.body);
  }
}

TEST_F(WebSocketTest, TellsThatNoServerAnswers) {
  options_.answer = milliseconds(50);
  WebSocket::Refusal refusal = meet([](Peer& peer) -> Task<void> { co_await peer.asked(); });
  EXPECT_EQ(refusal.error.kind(), ErrorKind::timed_out);
  EXPECT_EQ(refusal.error.message(), "127.0.0.1: no answer within 0.05 s");
  options_.answer = milliseconds(20'000);
  refusal = meet([](Peer& peer) -> Task<void> {
    co_await peer.asked();
    peer.cut();
  });
  EXPECT_THAT(refusal.error.message(), HasSubstr("127.0.0.1: "));
  options_.headers = {{"X", "a\r\nY: b"}};
  refusal = meet([](Peer&) -> Task<void> { co_return; });
  EXPECT_EQ(refusal.error.kind(), ErrorKind::bad_request);
}

TEST_F(WebSocketTest, TellsHowThePeerClosedIt) {
  const Use use = [](WebSocket& socket) -> Task<void> {
    const auto last = co_await socket.read();
    EXPECT_TRUE(last && !*last);
    EXPECT_EQ(socket.closing().code, 1011u);
    EXPECT_EQ(socket.closing().reason, "bye");
    EXPECT_FALSE(co_await socket.send("too late"));
  };
  const Serve serve = [](Peer& peer) -> Task<void> {
    co_await peer.accept();
    co_await peer.say(frame(kClose,
                            "\x03\xf3"
                            "bye"));
    EXPECT_EQ((co_await peer.heard()).kind, kClose);
    peer.cut();
  };
  EXPECT_EQ(meet(serve, use).error.message(), "");
}

TEST_F(WebSocketTest, ClosesWithAWord) {
  bool reported = false;
  const Serve serve = [&reported](Peer& peer) -> Task<void> {
    co_await peer.accept();
    reported = (co_await peer.heard()).kind == kClose;
    co_await peer.say(frame(kClose, "\x03\xe8"));
    peer.cut();
  };
  const Use use = [](WebSocket& socket) -> Task<void> { co_await socket.close(); };
  EXPECT_EQ(meet(serve, use).error.message(), "");
  EXPECT_TRUE(reported);
}

// What reading brings in the end.
Use read_to(std::string& why) {
  return [&why](WebSocket& socket) -> Task<void> {
    const auto message = co_await socket.read();
    why = !message ? message.error().message() : *message ? (*message)->bytes : "closed";
  };
}

TEST_F(WebSocketTest, NoticesThatThePeerIsGone) {
  std::string why;
  const Serve cut = [](Peer& peer) -> Task<void> {
    co_await peer.accept();
    co_await peer.say(frame(kText, "half").substr(0, 4));
    peer.cut();
  };
  meet(cut, read_to(why));
  EXPECT_THAT(why, HasSubstr("127.0.0.1: "));
  // It neither says something nor answers pings.
  options_.silence = milliseconds(100);
  bool pinged = false;
  const Serve vanish = [&pinged](Peer& peer) -> Task<void> {
    co_await peer.accept();
    pinged = (co_await peer.heard()).kind == kPing;
  };
  meet(vanish, read_to(why));
  EXPECT_EQ(why, "127.0.0.1: nothing came any more");
  loop_.restart();
  while (!pinged) loop_.run_one();
}

TEST_F(WebSocketTest, WaitsForASilentPeerThatAnswersPings) {
  options_.silence = milliseconds(2000);
  std::string why;
  const Serve serve = [](Peer& peer) -> Task<void> {
    co_await peer.accept();
    for (int pings = 0; pings < 3; ++pings) {
      const Peer::Frame ping = co_await peer.heard();
      co_await peer.say(frame(kPong, ping.bytes));
    }
    co_await peer.say(frame(kText, "at last"));
  };
  meet(serve, read_to(why));
  EXPECT_EQ(why, "at last");
}

TEST_F(WebSocketTest, TakesNoMessageThatIsTooLong) {
  options_.most_bytes = 1000;
  std::string why;
  const Serve whole = [](Peer& peer) -> Task<void> {
    co_await peer.accept();
    co_await peer.say(frame(kBinary, std::string(1001, 'x')));
  };
  meet(whole, read_to(why));
  EXPECT_EQ(why, "127.0.0.1: a message of more than 1000 bytes");
  const Serve pieces = [](Peer& peer) -> Task<void> {
    co_await peer.accept();
    co_await peer.say(frame(kBinary, std::string(600, 'x'), false) +
                      frame(kMore, std::string(600, 'x')));
  };
  meet(pieces, read_to(why));
  EXPECT_EQ(why, "127.0.0.1: a message of more than 1000 bytes");
}

TEST_F(WebSocketTest, DropEndsWhatIsUnderWay) {
  const Serve serve = [](Peer& peer) -> Task<void> { co_await peer.accept(); };
  const Use use = [this](WebSocket& socket) -> Task<void> {
    asio::post(loop_, [&socket] { socket.drop(); });
    EXPECT_FALSE(co_await socket.read());
  };
  EXPECT_EQ(meet(serve, use).error.message(), "");
}

TEST(WebSocketUrl, IsOneOfHttp) {
  EXPECT_EQ(parse_websocket_url("wss://h/p?q")->text(), "https://h/p?q");
  EXPECT_EQ(parse_websocket_url("ws://h:81/")->text(), "http://h:81/");
  EXPECT_EQ(parse_websocket_url("https://h")->text(), "https://h/");
  EXPECT_FALSE(parse_websocket_url("wsx://h"));
}

}  // namespace
}  // namespace talaria::http
