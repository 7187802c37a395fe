#include "link/client.h"

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "link/registry.h"

namespace talaria::link {
namespace {

// A client and the runners it meets, one connection at a time.
class Meeting {
 public:
  explicit Meeting(LinkClientOptions options = {}) : client(with_ids(std::move(options))) {
    new_runner("r1");
  }

  void new_runner(const std::string& instance) {
    registry.emplace(instance);
    instance_ = instance;
    runner.reset();
  }

  // Opens a connection and lets everything arrive.
  void meet() {
    connect();
    settle();
  }

  void connect() {
    client.connect();
    runner = Connection::to_client(limits);
    ++key_;
  }

  void settle() {
    for (bool moved = true; moved;) {
      moved = up();
      moved |= down();
    }
  }

  bool up() {
    const std::string bytes(client.output());
    client.wrote(bytes.size());
    if (runner) runner->receive(bytes);
    collect();
    return !bytes.empty();
  }

  bool down() {
    const std::string bytes = runner ? std::string(runner->output()) : "";
    if (runner) runner->wrote(bytes.size());
    client.receive(bytes);
    collect();
    return !bytes.empty();
  }

  void lose() {
    client.disconnected(Error(ErrorKind::unavailable, "cut"));
    registry->disconnected(client.link(), key_);
    runner.reset();
    collect();
  }

  void collect() {
    while (std::optional<Event> event = runner ? runner->next_event() : std::nullopt) {
      if (const auto* hello = std::get_if<ClientHello>(&*event)) admit(*hello);
      if (const auto* request = std::get_if<Request>(&*event)) asked.push_back(*request);
      if (const auto* response = std::get_if<Response>(&*event)) refusals.push_back(*response);
    }
    while (std::optional<LinkEvent> event = client.next_event()) {
      if (const auto* data = std::get_if<Data>(&*event)) received += data->bytes;
      if (std::holds_alternative<DataEnd>(*event)) ++ends;
      if (const auto* response = std::get_if<Response>(&*event)) answers.push_back(*response);
      if (const auto* gone = std::get_if<Disconnected>(&*event)) last_end = *gone;
      if (const auto* connected = std::get_if<Connected>(&*event)) last_start = *connected;
    }
  }

  std::string answer(std::size_t i) const {
    if (i >= answers.size()) return "none";
    const Result<std::string>& body = answers[i].body;
    return body ? *body : std::string(kind_name(body.error().kind()));
  }

  LinkClient client;
  std::optional<LinkRegistry> registry;
  std::optional<Connection> runner;
  LinkLimits limits;
  std::vector<ClientHello> hellos;
  std::vector<Request> asked;
  std::vector<Response> answers;
  std::vector<Response> refusals;  // of requests of the runner
  std::optional<Disconnected> last_end;
  std::optional<Connected> last_start;
  std::string received;
  int ends = 0;

 private:
  static LinkClientOptions with_ids(LinkClientOptions options) {
    char links = 0;
    options.new_link_id = [links]() mutable {
      LinkId id;
      id.bytes[0] = ++links;
      return id;
    };
    return options;
  }

  void admit(const ClientHello& hello) {
    hellos.push_back(hello);
    const Admission admission = registry->admit(hello, key_);
    const RunnerHello self{.instance = instance_, .limits = limits};
    if (admission.refusal) {
      runner->refuse(self, *admission.refusal, admission.message);
    } else {
      runner->accept(self);
    }
  }

  std::string instance_;
  ConnectionKey key_ = 0;
};

TEST(LinkClient, KeepsRequestsUntilThereIsAConnection) {
  Meeting m;
  m.client.request(Stop{}).value();
  m.meet();
  ASSERT_EQ(m.asked.size(), 1u);
  m.runner->respond(m.asked[0].id, "ok");
  m.settle();
  EXPECT_EQ(m.answer(0), "ok");
  EXPECT_EQ(m.client.unfinished(), 0u);
  EXPECT_EQ(m.client.queued_bytes(), 0u);
}

TEST(LinkClient, SendsBehindTheHelloOnlyToARunnerItCanName) {
  const struct {
    const char* name;
    LinkClientOptions options;
    std::size_t at_once;
  } cases[] = {
      {"unknown runner", {}, 0},
      {"known runner", {.expected_instance = "r1"}, 1},
      {"unknown runner, eager", {.eager_first_contact = true}, 1},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    Meeting m(c.options);
    m.client.request(Status{}).value();
    m.connect();
    m.up();
    EXPECT_EQ(m.asked.size(), c.at_once);
    m.settle();
    EXPECT_EQ(m.asked.size(), 1u);
  }
}

TEST(LinkClient, SendsAgainUnderTheSameId) {
  Meeting m;
  m.meet();
  const ExchangeId id = m.client.request(Method::wait, "body").value();
  m.settle();
  m.lose();
  m.meet();
  ASSERT_EQ(m.asked.size(), 2u);
  EXPECT_EQ(m.asked[1].id, id);
  EXPECT_EQ(m.asked[1].body, "body");
  EXPECT_EQ(m.hellos[1].connection, 2u);
  EXPECT_EQ(m.hellos[1].expected_instance, "r1");
  EXPECT_TRUE(m.hellos[1].resuming);
}

TEST(LinkClient, ResumesFromTheByteItHasReached) {
  Meeting m;
  RequestOptions options{.data_from = 100, .data_limit = 110};
  options.resume = [](std::uint64_t received) {
    return Call{Method::wait, "from " + std::to_string(received)};
  };
  const ExchangeId id = m.client.request(Method::start, "from 100", options).value();
  m.meet();
  m.runner->send_data(id, 100, "01234");
  m.settle();
  m.client.grant(id, 105, 120);
  m.lose();
  m.meet();
  EXPECT_EQ(m.asked[1].method, Method::wait);
  EXPECT_EQ(m.asked[1].body, "from 105");
  EXPECT_EQ(m.asked[1].data_limit, 120u);
  m.runner->send_data(id, 105, "56789");
  m.runner->end_data(id, 110);
  m.runner->respond(id, "");
  m.settle();
  EXPECT_EQ(m.received, "0123456789");
  EXPECT_EQ(m.answers.size(), 1u);
}

// A caller who does not bother to resume still gets each byte once.
TEST(LinkClient, DropsBytesItHasHadBefore) {
  Meeting m;
  const ExchangeId id = m.client.request(Method::read, "", {.data_limit = 100}).value();
  m.meet();
  m.runner->send_data(id, 0, "01234");
  m.runner->end_data(id, 5);
  m.settle();
  m.lose();
  m.meet();
  m.runner->send_data(id, 0, "012");
  m.runner->send_data(id, 3, "3456");
  m.runner->end_data(id, 7);
  m.settle();
  EXPECT_EQ(m.received, "0123456");
  EXPECT_EQ(m.ends, 1);
}

TEST(LinkClient, WhatMayHaveReachedADeadRunnerIsLost) {
  Meeting m;
  m.meet();
  m.client.request(Method::start, "sent").value();
  m.settle();
  m.lose();
  const ExchangeId unsent = m.client.request(Method::start, "never sent").value();
  m.new_runner("r2");
  m.meet();
  EXPECT_EQ(m.last_end->reason, CloseReason::instance);
  EXPECT_TRUE(m.last_end->retry);
  EXPECT_EQ(m.last_end->runner->instance, "r2");
  EXPECT_EQ(m.answer(0), "runner_lost");
  EXPECT_EQ(m.client.unfinished(), 1u);

  m.asked.clear();
  m.meet();
  ASSERT_EQ(m.asked.size(), 1u);
  EXPECT_EQ(m.asked[0].id, unsent);
  EXPECT_TRUE(m.last_start->replaced);
  EXPECT_EQ(m.hellos.back().connection, 1u);  // of a new link
  EXPECT_NE(m.hellos.back().link, m.hellos.front().link);
  EXPECT_EQ(m.hellos.back().expected_instance, "r2");
}

// The refused connection carried the unsent request too (it follows the HELLO at once); a second
// runner that dies must not take it along.
TEST(LinkClient, ARefusedConnectionReachedNobody) {
  Meeting m({.expected_instance = "r1"});
  m.client.request(Method::start, "s").value();
  m.new_runner("r2");
  m.meet();
  EXPECT_EQ(m.last_end->reason, CloseReason::instance);
  m.new_runner("r3");
  m.meet();
  EXPECT_EQ(m.answers.size(), 0u);
  m.meet();
  EXPECT_EQ(m.asked.size(), 1u);
}

// A command of a session that only the first runner has.
TEST(LinkClient, WhatIsForOneRunnerGoesToNoOther) {
  Meeting m;
  m.meet();
  m.lose();
  m.client.request(Method::start, "s", {.same_runner = true}).value();
  m.new_runner("r2");
  m.meet();
  EXPECT_EQ(m.answer(0), "unavailable");
  m.meet();
  EXPECT_TRUE(m.client.connected());
  EXPECT_TRUE(m.asked.empty());
}

TEST(LinkClient, WhatIsForOneRunnerIsSentAgainToThatOne) {
  Meeting m;
  m.meet();
  m.lose();
  m.client.request(Method::start, "s", {.same_runner = true}).value();
  m.meet();
  EXPECT_TRUE(m.answers.empty());
  EXPECT_EQ(m.asked.size(), 1u);
}

TEST(LinkClient, HalfARequestReachesNobody) {
  Meeting m;
  m.meet();
  m.client.request(Method::start, std::string(kMiB, 'x')).value();
  m.up();  // the first chunk of several
  m.lose();
  m.new_runner("r2");
  m.meet();
  EXPECT_EQ(m.answers.size(), 0u);
  m.meet();
  ASSERT_EQ(m.asked.size(), 1u);
  EXPECT_EQ(m.asked[0].body.size(), kMiB);
}

TEST(LinkClient, ARunnerThatForgotTheLinkIsLikeANewOne) {
  Meeting m;
  m.meet();
  m.client.request(Method::start, "s").value();
  m.settle();
  m.lose();
  m.registry.emplace("r1", 1);  // the same instance, but it had to forget
  ClientHello other;
  other.link.bytes[5] = 'o';
  m.registry->admit(other, 100);
  m.registry->disconnected(other.link, 100);
  other.link.bytes[5] = 'p';
  m.registry->admit(other, 101);
  m.registry->disconnected(other.link, 101);
  m.meet();
  EXPECT_EQ(m.last_end->reason, CloseReason::unknown_link);
  EXPECT_EQ(m.answer(0), "runner_lost");
  m.meet();
  EXPECT_TRUE(m.client.connected());
}

TEST(LinkClient, AnotherVersionIsNotTriedAgain) {
  Meeting m;
  m.client.request(Method::start, "s").value();
  m.client.connect();
  std::string bytes;
  const std::string hello = encode_hello({.major = 9, .instance = "r9", .refused = true});
  append_frame(bytes, {.type = FrameType::hello, .payload = hello});
  m.client.receive(bytes);
  m.collect();
  EXPECT_EQ(m.last_end->reason, CloseReason::version);
  EXPECT_FALSE(m.last_end->retry);
  EXPECT_EQ(m.last_end->runner->instance, "r9");
  EXPECT_EQ(m.client.unfinished(), 1u);  // for the runner the owner starts beside it
  m.client.fail_all(Error(ErrorKind::unavailable, "gave up"));
  m.collect();
  EXPECT_EQ(m.answer(0), "unavailable");
}

// They failed with `unavailable`, which means that nothing was started: the caller tried again, and
// the command may have run twice.
TEST(LinkClient, AnOwnerThatGivesUpLosesWhatMayHaveArrived) {
  Meeting m;
  m.meet();
  m.client.request(Method::start, "arrived over an earlier connection").value();
  m.settle();
  m.lose();
  m.connect();
  m.client.request(Method::start, "written, not answered").value();
  m.client.output();
  m.client.request(Method::start, "never written").value();
  m.client.fail_all(Error(ErrorKind::unavailable, "gave up"));
  m.collect();
  EXPECT_EQ(m.answer(0), "runner_lost");
  EXPECT_EQ(m.answer(1), "runner_lost");
  EXPECT_EQ(m.answer(2), "unavailable");
  EXPECT_EQ(m.client.unfinished(), 0u);
}

TEST(LinkClient, LargeRequestsWaitForTheRunnersHello) {
  Meeting m({.expected_instance = "r1"});
  m.client.request(Method::start, std::string(5 * kMiB, 'x')).value();
  m.client.request(Method::status, "").value();
  m.connect();
  m.up();
  ASSERT_EQ(m.asked.size(), 1u);
  EXPECT_EQ(m.asked[0].method, Method::status);
  m.settle();
  EXPECT_EQ(m.asked.size(), 2u);
}

// In a batch all is said before the runner answers: a request above the least would have waited for
// its HELLO, batch after batch.
TEST(LinkClient, ALargeRequestNeedNotWaitForARunnerThatIsKnown) {
  Meeting m;
  m.meet();
  m.client.request(Method::start, std::string(3 * kMiB, 'x')).value();
  m.connect();
  while (m.up()) {  // and nothing comes back
  }
  EXPECT_EQ(m.asked.size(), 1u);
}

TEST(LinkClient, ARequestTooLargeForTheRunnerFails) {
  Meeting m;
  m.limits = {2 * kMiB, 2 * kMiB, 100};
  m.client.request(Method::start, std::string(5 * kMiB, 'x')).value();
  m.meet();
  EXPECT_EQ(m.answer(0), "limit");
  EXPECT_EQ(m.client.unfinished(), 0u);
}

TEST(LinkClient, UnfinishedRequestsAreBounded) {
  Meeting m;
  EXPECT_FALSE(m.client.request(Method::start, std::string(kMaxMessage + 1, 'x')));
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(m.client.request(Method::start, std::string(kMaxMessage, 'x')));
  }
  EXPECT_EQ(m.client.request(Method::start, "x").error().kind(), ErrorKind::limit);
  m.client.fail_all(Error(ErrorKind::interrupted, ""));
  for (std::uint32_t i = 0; i < kMaxExchanges; ++i) {
    EXPECT_TRUE(m.client.request(Method::status, ""));
  }
  EXPECT_EQ(m.client.request(Method::status, "").error().kind(), ErrorKind::limit);
}

TEST(LinkClient, CancelledRequestsAreNotSentAgain) {
  Meeting m;
  m.meet();
  const ExchangeId id = m.client.request(Method::wait, "").value();
  m.settle();
  m.client.cancel(id);
  m.settle();
  m.lose();
  m.meet();
  EXPECT_EQ(m.asked.size(), 1u);
  EXPECT_EQ(m.answers.size(), 0u);
  EXPECT_FALSE(m.hellos.back().resuming);
}

TEST(LinkClient, ARequestOfTheRunnerIsRefused) {
  Meeting m;
  m.meet();
  const ExchangeId id = m.runner->request(Method{77}, "").value();
  m.settle();
  ASSERT_EQ(m.refusals.size(), 1u);
  EXPECT_EQ(m.refusals[0].id, id);
  EXPECT_EQ(m.refusals[0].body.error().message(), "method 77: unknown to this version");
}

TEST(LinkClient, StartSequencesOnlyGrow) {
  Meeting m;
  EXPECT_EQ(m.client.next_start_sequence(), 1u);
  EXPECT_EQ(m.client.next_start_sequence(), 2u);
}

TEST(LinkClient, ANewConnectionReplacesTheOldOne) {
  Meeting m;
  m.meet();
  m.client.request(Method::wait, "").value();
  m.settle();
  m.meet();  // without noticing that the first is gone
  EXPECT_EQ(m.hellos.back().connection, 2u);
  EXPECT_EQ(m.asked.size(), 2u);
  EXPECT_TRUE(m.client.connected());
}

}  // namespace
}  // namespace talaria::link
