#include "link/connection.h"

#include <string>

#include <gtest/gtest.h>

#include "link/envelope.h"
#include "testing/link/pair.h"

namespace talaria::link {
namespace {

TEST(Connection, ARequestTravelsBehindTheHelloWithoutWaiting) {
  Pair pair;
  const ExchangeId id = pair.client.request(Method::status, "body", 99).value();
  EXPECT_EQ(id, 1u);
  pair.settle();
  const Request request = pair.next<Request>(pair.at_runner);
  EXPECT_EQ(request.id, id);
  EXPECT_EQ(request.method, Method::status);
  EXPECT_EQ(request.body, "body");
  EXPECT_EQ(request.data_limit, 99u);
}

TEST(Connection, NotesThenOneResponse) {
  Pair pair;
  const ExchangeId id = pair.client.request(Method::start, "").value();
  pair.settle();
  pair.runner.note(id, "one");
  pair.runner.note(id, "two");
  pair.runner.respond(id, "done");
  pair.runner.respond(id, "again");  // too late: does nothing
  pair.runner.note(id, "again");
  pair.settle();
  EXPECT_EQ(pair.next<Note>(pair.at_client).body, "one");
  EXPECT_EQ(pair.next<Note>(pair.at_client).body, "two");
  EXPECT_EQ(pair.next<Response>(pair.at_client).body.value(), "done");
  EXPECT_EQ(pair.count<Note>(pair.at_client), 0u);
  EXPECT_EQ(pair.client.open_exchanges(), 0u);
  EXPECT_EQ(pair.runner.open_exchanges(), 0u);
}

TEST(Connection, FailuresKeepTheirKindAndMessage) {
  Pair pair;
  const ExchangeId id = pair.client.request(Method::wait, "").value();
  pair.settle();
  pair.runner.respond(id, fail(ErrorKind::not_found, "no such process"));
  pair.settle();
  const Response response = pair.next<Response>(pair.at_client);
  ASSERT_FALSE(response.body);
  EXPECT_EQ(response.body.error().kind(), ErrorKind::not_found);
  EXPECT_EQ(response.body.error().message(), "no such process");
}

TEST(Connection, LargeMessagesGoInPiecesBothWays) {
  Pair pair;
  const std::string command(10 * kMiB, 'c');
  pair.settle();
  const ExchangeId id = pair.client.request(Method::start, command).value();
  const ExchangeId small = pair.client.request(Method::status, "").value();
  pair.settle();
  EXPECT_EQ(pair.next<Request>(pair.at_runner).id, small);  // not held up by the large one
  const Request request = pair.next<Request>(pair.at_runner);
  EXPECT_EQ(request.body, command);
  pair.runner.note(id, command);
  pair.runner.respond(id, command);
  pair.settle();
  EXPECT_EQ(pair.next<Note>(pair.at_client).body, command);
  EXPECT_EQ(pair.next<Response>(pair.at_client).body.value(), command);
  EXPECT_EQ(pair.client.reassembly_bytes() + pair.runner.reassembly_bytes(), 0u);
}

TEST(Connection, TheRunnerMayAskToo) {
  Pair pair;
  pair.settle();
  const ExchangeId id = pair.runner.request(Method{64}, "askpass").value();
  EXPECT_EQ(id, 2u);
  pair.settle();
  EXPECT_EQ(pair.next<Request>(pair.at_client).body, "askpass");
  pair.client.respond(id, "secret");
  pair.settle();
  EXPECT_EQ(pair.next<Response>(pair.at_runner).body.value(), "secret");
}

TEST(Connection, DataFlowsUnderCredit) {
  Pair pair;
  const ExchangeId id = pair.client.request(Method::read, "", 10).value();
  pair.settle();
  EXPECT_EQ(pair.runner.sendable(id, 0), 10u);
  pair.runner.send_data(id, 0, "0123456789");
  EXPECT_EQ(pair.runner.sendable(id, 10), 0u);
  EXPECT_THROW(pair.runner.send_data(id, 10, "x"), std::logic_error);
  pair.settle();
  std::string bytes;
  EXPECT_EQ(pair.next<Data>(pair.at_client, &bytes).offset, 0u);
  EXPECT_EQ(bytes, "0123456789");

  pair.client.grant(id, 10, 15);
  pair.client.grant(id, 5, 12);  // neither goes back
  pair.settle();
  const Writable writable = pair.next<Writable>(pair.at_runner);
  EXPECT_EQ(writable.taken, 10u);
  EXPECT_EQ(writable.limit, 15u);
  EXPECT_EQ(pair.runner.sendable(id, 10), 5u);
  pair.runner.send_data(id, 12, "abc");  // bytes 10 and 11 are gone at the runner
  pair.runner.end_data(id, 15);
  pair.runner.respond(id, "");
  pair.settle();
  EXPECT_EQ(pair.next<Data>(pair.at_client).offset, 12u);
  EXPECT_EQ(pair.next<DataEnd>(pair.at_client).offset, 15u);
  EXPECT_TRUE(pair.next<Response>(pair.at_client).body);
}

TEST(Connection, UploadsBeginWhereTheCreditSays) {
  Pair pair;
  const ExchangeId id = pair.client.request(Method::write, "").value();
  pair.settle();
  EXPECT_EQ(pair.client.sendable(id, 0), 0u);
  pair.runner.grant(id, 7, 20);  // it has had 7 bytes over an earlier connection
  pair.settle();
  const Writable writable = pair.next<Writable>(pair.at_client);
  EXPECT_EQ(writable.next, 7u);
  pair.client.send_data(id, writable.next, "abc");
  pair.client.end_data(id, 10);
  pair.settle();
  EXPECT_EQ(pair.next<Data>(pair.at_runner).offset, 7u);
  EXPECT_EQ(pair.next<DataEnd>(pair.at_runner).offset, 10u);
}

// A reader that takes nothing holds up its own exchange and no other, and the runner holds no more
// than the credit it was given.
TEST(Connection, ASlowReaderDoesNotStopAnotherExchange) {
  Pair pair;
  const ExchangeId slow = pair.client.request(Method::read, "", kDefaultWindow).value();
  const ExchangeId quick = pair.client.request(Method::read, "", kDefaultWindow).value();
  pair.settle();
  std::uint64_t slow_sent = 0;
  std::uint64_t quick_sent = 0;
  const std::string block(kMaxFrameData, 'x');
  const auto pump = [&](ExchangeId id, std::uint64_t& sent) {
    while (pair.runner.sendable(id, sent) >= block.size()) {
      pair.runner.send_data(id, sent, block);
      sent += block.size();
    }
  };
  for (int round = 0; round < 100; ++round) {
    pump(slow, slow_sent);
    pump(quick, quick_sent);
    ASSERT_LE(pair.runner.queued_bytes(), 2 * kMaxQueuedDataPerExchange);
    pair.settle();
    pair.client.grant(quick, quick_sent, quick_sent + kDefaultWindow);
    pair.settle();
  }
  EXPECT_GE(quick_sent, 20 * kMiB);
  EXPECT_EQ(slow_sent, kDefaultWindow);
}

// With a stream that does not move at all, data stops at the queue's bound, and continues when
// there is room: the sender is notified and need not poll.
TEST(Connection, AFullQueueStopsDataAndSaysWhenItGoesOn) {
  Pair pair;
  const ExchangeId id = pair.client.request(Method::read, "", UINT64_MAX).value();
  pair.settle();
  pair.runner.send_data(id, 0, std::string(kMaxQueuedDataPerExchange, 'x'));
  EXPECT_EQ(pair.runner.sendable(id, kMaxQueuedDataPerExchange), 0u);
  EXPECT_EQ(pair.runner.next_event(), std::nullopt);
  pair.at_runner.clear();
  pair.settle();
  EXPECT_EQ(pair.next<Writable>(pair.at_runner).id, id);
  EXPECT_EQ(pair.count<Writable>(pair.at_runner), 0u);
  EXPECT_EQ(pair.runner.sendable(id, kMaxQueuedDataPerExchange), kMaxQueuedDataPerExchange);
}

TEST(Connection, ACancelledExchangeIsOverForBothSides) {
  Pair pair;
  const ExchangeId id = pair.client.request(Method::wait, "", 100).value();
  pair.settle();
  pair.runner.send_data(id, 0, "crossing");
  pair.runner.note(id, "crossing");
  pair.client.cancel(id);
  pair.settle();
  EXPECT_EQ(pair.next<Cancelled>(pair.at_runner).id, id);
  EXPECT_EQ(pair.count<Data>(pair.at_client) + pair.count<Note>(pair.at_client) +
                pair.count<Response>(pair.at_client),
            0u);
  pair.runner.respond(id, "late");
  pair.settle();
  EXPECT_EQ(pair.client.open_exchanges() + pair.runner.open_exchanges(), 0u);
  EXPECT_FALSE(pair.client.finished() || pair.runner.finished());
}

TEST(Connection, ACancelMayCrossTheResponse) {
  Pair pair;
  const ExchangeId id = pair.client.request(Method::wait, "").value();
  pair.settle();
  pair.runner.respond(id, "done");
  pair.client.cancel(id);
  pair.settle();
  EXPECT_EQ(pair.count<Response>(pair.at_client), 0u);
  EXPECT_EQ(pair.count<Cancelled>(pair.at_runner), 0u);
  EXPECT_EQ(pair.client.open_exchanges() + pair.runner.open_exchanges(), 0u);
}

TEST(Connection, CancellingWhatWasNeverSentIsSilent) {
  Pair pair;
  const ExchangeId id = pair.client.request(Method::wait, "").value();
  pair.client.cancel(id);
  pair.settle();
  EXPECT_EQ(pair.count<Request>(pair.at_runner), 0u);
  EXPECT_EQ(pair.client.open_exchanges(), 0u);
}

TEST(Connection, CancellingHalfARequestFreesWhatIsThere) {
  Pair pair;
  pair.settle();
  const ExchangeId id = pair.client.request(Method::start, std::string(5 * kMiB, 'x')).value();
  for (int i = 0; i < 3; ++i) pair.step(pair.client, pair.runner, pair.at_runner);
  EXPECT_GT(pair.runner.reassembly_bytes(), 0u);
  pair.client.cancel(id);
  pair.settle();
  EXPECT_EQ(pair.runner.reassembly_bytes(), 0u);
  EXPECT_EQ(pair.count<Request>(pair.at_runner) + pair.count<Cancelled>(pair.at_runner), 0u);
  EXPECT_EQ(pair.client.open_exchanges() + pair.runner.open_exchanges(), 0u);
}

TEST(Connection, DataThatCrossesAnEarlyResponseIsDropped) {
  Pair pair;
  const ExchangeId id = pair.client.request(Method::write, "").value();
  pair.settle();
  pair.runner.grant(id, 0, 100);
  pair.settle();
  pair.client.send_data(id, 0, "input");
  pair.client.end_data(id, 5);
  pair.runner.respond(id, "the process is gone");
  pair.settle();
  EXPECT_FALSE(pair.client.finished() || pair.runner.finished());
  EXPECT_EQ(pair.client.open_exchanges() + pair.runner.open_exchanges(), 0u);
}

TEST(Connection, PingsAreAnswered) {
  Pair pair;
  pair.client.ping(17);
  pair.settle();
  EXPECT_EQ(pair.next<Pong>(pair.at_client).number, 17u);
}

TEST(Connection, NothingIsProcessedBeforeTheRunnerAccepts) {
  Connection client = Connection::to_runner({});
  Connection runner = Connection::to_client();
  EXPECT_TRUE(client.request(Method::start, ""));
  runner.receive(client.output());
  EXPECT_TRUE(std::holds_alternative<ClientHello>(*runner.next_event()));
  EXPECT_FALSE(runner.next_event());
  runner.refuse({.instance = "i1"}, CloseReason::instance, "not me");
  EXPECT_FALSE(runner.next_event());
  EXPECT_FALSE(runner.finished());

  client.receive(runner.output());
  runner.wrote(runner.output().size());
  EXPECT_TRUE(runner.finished());
  EXPECT_TRUE(std::get<RunnerHello>(*client.next_event()).refused);
  const Closed closed = std::get<Closed>(*client.next_event());
  EXPECT_EQ(closed.reason, CloseReason::instance);
  EXPECT_TRUE(closed.by_peer);
  EXPECT_TRUE(client.finished());
}

TEST(Connection, ARunnerOfAnotherMajorIsLeft) {
  Connection client = Connection::to_runner({});
  std::string bytes;
  const std::string payload = encode_hello({.major = kProtocolMajor + 1, .instance = "i1"});
  append_frame(bytes, {.type = FrameType::hello, .payload = payload});
  client.receive(bytes);
  EXPECT_TRUE(std::holds_alternative<RunnerHello>(*client.next_event()));
  EXPECT_EQ(std::get<Closed>(*client.next_event()).reason, CloseReason::version);
}

// The stream of one client, delivered to another runner, must not run there.
TEST(Connection, ARequestNamesItsRunnerWhenTheHelloCouldNot) {
  Pair pair;
  pair.settle();
  EXPECT_TRUE(pair.client.request(Method::start, "body"));
  const std::string copy(pair.client.output());

  Pair other;
  other.settle();
  Connection& runner = other.runner;  // accepted as instance i1
  runner.receive(copy);
  EXPECT_TRUE(std::holds_alternative<Request>(*runner.next_event()));

  Connection stranger = Connection::to_client();
  std::string hello;
  append_frame(hello, {.type = FrameType::hello, .payload = encode_hello(ClientHello{})});
  stranger.receive(hello + copy);
  EXPECT_TRUE(std::holds_alternative<ClientHello>(*stranger.next_event()));
  stranger.accept({.instance = "i2"});
  EXPECT_FALSE(stranger.next_event());
  EXPECT_FALSE(stranger.finished());
}

TEST(Connection, ClosingSaysWhy) {
  Pair pair;
  EXPECT_TRUE(pair.client.request(Method::wait, ""));
  pair.settle();
  pair.runner.close(CloseReason::superseded, "a newer connection");
  pair.settle();
  const Closed closed = pair.next<Closed>(pair.at_client);
  EXPECT_EQ(closed.reason, CloseReason::superseded);
  EXPECT_NE(closed.error.message().find("a newer connection"), std::string::npos);
  EXPECT_TRUE(pair.client.finished());
  EXPECT_TRUE(pair.runner.finished());
  EXPECT_EQ(pair.count<Closed>(pair.at_runner), 0u);
}

}  // namespace
}  // namespace talaria::link
