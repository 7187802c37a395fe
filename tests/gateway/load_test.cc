// Many clients at once, and what is there only for a moment.
#include <atomic>
#include <string>
#include <thread>

#include "gateway/gateway_test.h"

namespace talaria::test {
namespace {

class GatewayLoadTest : public GatewayTest {};

// The short form of `make load`.
TEST_F(GatewayLoadTest, ClientsThatComeAndGoLeaveNothingBehind) {
  ProgramSpec spec{.argv = {"/usr/bin/python3", std::string(TALARIA_GATEWAY_SCRIPTS) + "/load.py",
                            World::talaria(), "--seconds", "15", "--clients", "32"},
                   .env = world_.env()};
  Program load(spec);
  const auto ended = load.wait(std::chrono::seconds(110));
  ASSERT_TRUE(ended) << load.err();
  EXPECT_EQ(exit_code_of(*ended), 0) << load.out() << load.err();
}

// The beginning of a long output is asked for when its end is known. Whoever polled just then was
// told of a command that had ended without a word.
TEST_F(GatewayLoadTest, AnExecHasNotEndedBeforeItsOutputIsThere) {
  start_gateway();
  HttpTestClient http = client();
  const std::string sandbox = create(http);
  for (const char* id : {"a", "b", "c", "d", "e", "f"}) {
    http.post(execs(sandbox) + "?wait=0",
              body({{"execId", id}, {"command", "head -c 3000000 /dev/zero | tr '\\0' x"}}));
    HttpAnswer seen;
    ASSERT_TRUE(eventually([&] {
      seen = http.get(execs(sandbox) + "/" + id);
      return seen.text("status") == "completed";
    }));
    EXPECT_TRUE(seen.json().at("truncated").as_bool()) << id;
    EXPECT_GT(seen.text("output").size(), 1u << 20) << id;
  }
}

// One that was only just taken was said not to run, as if it were over.
TEST_F(GatewayLoadTest, InputAndSignalsRightBehindTheStartReachTheCommand) {
  start_gateway();
  HttpTestClient http = client();
  const std::string sandbox = create(http);
  const std::string cat =
      http.request("POST", execs(sandbox) + "?wait=0",
                   body({{"execId", "cat"}, {"command", "cat"}, {"stdin", true}}));
  const std::string words = http.request("POST", execs(sandbox) + "/cat/stdin",
                                         body({{"data", "words\n"}, {"end", true}}));
  ASSERT_TRUE(http.send(cat + words));
  EXPECT_EQ(http.receive().status, 202);
  EXPECT_EQ(http.receive().status, 200);
  EXPECT_EQ(http.get(execs(sandbox) + "/cat?wait=30000").text("output"), "words\n");

  const std::string sleep = http.request("POST", execs(sandbox) + "?wait=0",
                                         body({{"execId", "sleep"}, {"command", "sleep 300"}}));
  const std::string kill =
      http.request("POST", execs(sandbox) + "/sleep/signal", body({{"signal", "KILL"}}));
  ASSERT_TRUE(http.send(sleep + kill));
  EXPECT_EQ(http.receive().status, 202);
  EXPECT_EQ(http.receive().status, 200);
  EXPECT_EQ(http.get(execs(sandbox) + "/sleep?wait=30000").json().at("returncode").as_int64(), -9);
}

}  // namespace
}  // namespace talaria::test
