// What a connection does with a peer that breaks the rules or asks for too much.

#include <string>

#include <gtest/gtest.h>

#include "link/connection.h"
#include "link/envelope.h"
#include "testing/link/pair.h"

namespace talaria::link {
namespace {

std::string frame(FrameType type, ExchangeId exchange, std::string_view payload = "",
                  std::uint8_t flags = kFlagLast) {
  std::string bytes;
  append_frame(bytes, {type, flags, exchange, payload});
  return bytes;
}

std::string number(FrameType type, ExchangeId exchange, std::uint64_t value) {
  std::string bytes;
  append_number(bytes, type, exchange, value);
  return bytes;
}

std::string data(ExchangeId exchange, std::uint64_t offset, std::string_view content) {
  std::string bytes;
  append_data(bytes, exchange, offset, content);
  return bytes;
}

std::string request(ExchangeId exchange, std::uint64_t data_limit = 0) {
  return frame(FrameType::request, exchange, encode_request(Method::read, data_limit, "", ""));
}

// The message of the Closed a runner's end reports after these bytes; empty if it stays open. The
// owner grants 10 bytes of data to every request.
std::string verdict_of_runner(const std::string& bytes) {
  Connection runner = Connection::to_client();
  std::string hello;
  append_frame(hello, {.type = FrameType::hello, .payload = encode_hello(ClientHello{})});
  runner.receive(hello);
  runner.next_event();
  runner.accept({.instance = "i1"});
  runner.receive(bytes);
  while (const std::optional<Event> event = runner.next_event()) {
    if (const auto* asked = std::get_if<Request>(&*event)) runner.grant(asked->id, 0, 10);
    if (const auto* closed = std::get_if<Closed>(&*event)) {
      EXPECT_FALSE(closed->by_peer);
      EXPECT_FALSE(runner.finished());  // its GOAWAY is yet to be written
      return closed->error.message();
    }
  }
  return "";
}

TEST(Connection, ABreachOfTheProtocolEndsIt) {
  const auto cancel = [](ExchangeId id) { return frame(FrameType::cancel, id); };
  const struct {
    const char* name;
    std::string bytes;
    const char* expected;
  } cases[] = {
      {"a good request", request(1), ""},
      {"the same id twice", request(1) + request(1),
       "link: a REQUEST for an exchange that is open"},
      {"an id of the other side", request(2),
       "link: a REQUEST under an id that is not the sender's"},
      {"no id", request(0), "link: a REQUEST under an id that is not the sender's"},
      {"a second hello", frame(FrameType::hello, 0), "link: a second HELLO"},
      {"a malformed request", frame(FrameType::request, 1, "\x0b"),
       "link: Request: unknown pbf field type exception"},
      {"a response nobody asked for", frame(FrameType::response, 2),
       "link: an answer nobody waits for"},
      {"a note from the requester", request(1) + frame(FrameType::note, 1),
       "link: an answer nobody waits for"},
      {"an unknown type", frame(FrameType{77}, 0), "link: frame type 77 is unknown"},
      {"an unknown type that may be skipped", frame(FrameType{77}, 0, "x", kFlagOptional), ""},
      {"data within credit", request(1) + data(1, 0, "0123456789"), ""},
      {"data beyond credit", request(1) + data(1, 0, "0123456789a"),
       "link: DATA beyond its credit"},
      {"data far beyond credit", request(1) + data(1, UINT64_MAX, "x"),
       "link: DATA beyond its credit"},
      {"data that goes back", request(1) + data(1, 5, "x") + data(1, 5, "x"),
       "link: DATA goes back"},
      {"data after its end", request(1) + number(FrameType::end, 1, 0) + data(1, 0, "x"),
       "link: DATA after END"},
      {"two ends", request(1) + number(FrameType::end, 1, 0) + number(FrameType::end, 1, 0),
       "link: a second END"},
      {"an end before the data", request(1) + data(1, 0, "xy") + number(FrameType::end, 1, 1),
       "link: END goes back"},
      {"data before the request", frame(FrameType::request, 1, "half", 0) + data(1, 0, "x"),
       "link: a frame for an exchange before its request"},
      {"data for an exchange that has ended", data(1, 0, "x"), ""},
      {"data for an exchange of ours that has ended", data(2, 0, "x"),
       "link: a frame for an exchange that is not open"},
      {"data for the link", data(0, 0, "x"), "link: a frame for an exchange that is not open"},
      {"a short offset", request(1) + frame(FrameType::data, 1, "1234567"),
       "link: DATA without an offset"},
      {"half a credit", request(1) + number(FrameType::credit, 1, 5), "link: a malformed CREDIT"},
      {"a cancel from the answering side", cancel(2), "link: a CANCEL from the answering side"},
      {"a cancel of nothing", cancel(1), ""},
      {"a ping without a number", frame(FrameType::ping, 0),
       "link: a PING or PONG without its number"},
      {"not a link at all", "GET / HTTP/1.1\r\n",
       "link: a frame claims 542393671 bytes: this is not a Talaria link"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(verdict_of_runner(c.bytes), c.expected);
  }
}

TEST(Connection, TheFirstFrameMustBeAHello) {
  Connection runner = Connection::to_client();
  runner.receive(request(1));
  EXPECT_EQ(std::get<Closed>(*runner.next_event()).reason, CloseReason::protocol);
}

TEST(Connection, UnfinishedMessagesAreBounded) {
  const std::string fragment(kMaxFrameData, 'x');
  std::string one_message;
  for (std::size_t i = 0; i <= kMaxMessage / kMaxFrameData; ++i) {
    one_message += frame(FrameType::request, 1, fragment, 0);
  }
  EXPECT_EQ(verdict_of_runner(one_message), "link: a message has more than 33554432 bytes");

  std::string many;
  for (ExchangeId i = 0; i <= kMaxReassembly / kMaxFrameData; ++i) {
    many += frame(FrameType::request, 2 * (i % 500) + 1, fragment, 0);
  }
  EXPECT_EQ(verdict_of_runner(many), "link: unfinished messages have more than 67108864 bytes");
}

TEST(Connection, OpenExchangesAreBounded) {
  std::string bytes;
  for (ExchangeId i = 0; i < kMaxExchanges; ++i) bytes += request(2 * i + 1);
  EXPECT_EQ(verdict_of_runner(bytes), "");
  bytes += request(2 * kMaxExchanges + 1);
  EXPECT_EQ(verdict_of_runner(bytes), "link: more than 1024 exchanges are open");
}

// Asking and cancelling without ever reading the answers must not grow the runner's queue.
TEST(Connection, CancelledExchangesCountUntilTheirAnswerIsOut) {
  std::string bytes;
  for (ExchangeId i = 0; i <= kMaxExchanges; ++i) {
    bytes += request(2 * i + 1) + frame(FrameType::cancel, 2 * i + 1);
  }
  EXPECT_EQ(verdict_of_runner(bytes), "link: more than 1024 exchanges are open");
}

TEST(Connection, RequestsKeepToWhatThePeerTakes) {
  const LinkLimits small{2 * kMiB, 2 * kMiB, 100};
  Pair pair({}, small);
  const auto refused = [&](std::size_t size) {
    const Result<ExchangeId> id = pair.client.request(Method::start, std::string(size, 'x'));
    return id ? "" : id.error().message();
  };
  // Before the runner has spoken, only the least is sure.
  EXPECT_EQ(refused(kMiB + 1), "a request of 1048583 bytes; the peer takes at most 1048576");
  pair.settle();
  EXPECT_EQ(refused(kMiB + 1), "");
  EXPECT_EQ(refused(3 * kMiB), "a request of 3145739 bytes; the peer takes at most 2097152");
  for (int i = 0; i < 99; ++i) EXPECT_EQ(refused(1), "");
  EXPECT_EQ(refused(1), "more than 100 exchanges would be open at once");
  pair.settle();
  EXPECT_EQ(pair.count<Request>(pair.at_runner), 100u);
}

TEST(Connection, AnAnswerTooLargeForThePeerBecomesAnError) {
  Pair pair({1 * kMiB, 1 * kMiB, 100});
  const ExchangeId id = pair.client.request(Method::wait, "").value();
  pair.settle();
  pair.runner.respond(id, std::string(2 * kMiB, 'x'));
  pair.settle();
  const Response response = pair.next<Response>(pair.at_client);
  ASSERT_FALSE(response.body);
  EXPECT_EQ(response.body.error().kind(), ErrorKind::limit);
}

TEST(Connection, APeerThatDoesNotReadIsLeft) {
  Pair pair;
  std::vector<ExchangeId> ids;
  for (int i = 0; i < 5; ++i) ids.push_back(pair.client.request(Method::wait, "").value());
  pair.settle();
  for (const ExchangeId id : ids) pair.runner.respond(id, std::string(kMaxMessage - 100, 'x'));
  const Closed closed = std::get<Closed>(*pair.runner.next_event());
  EXPECT_EQ(closed.reason, CloseReason::limit);
  EXPECT_EQ(pair.runner.queued_bytes(), 0u);
}

}  // namespace
}  // namespace talaria::link
