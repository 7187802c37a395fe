#include "environment/daytona/daytona_messages.h"

#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

namespace talaria::environment::daytona {
namespace {

constexpr const char* kImage = "debian:bookworm-slim";

TEST(DaytonaMessages, AWishIsWhatTheSdkWouldSend) {
  const DaytonaConfig config{.region = "eu", .image = kImage};
  const EnvironmentSpec spec{.task = "t1",
                             .container = {.cpu = 1, .memory_mb = 5120, .disk_mb = 10240}};
  EXPECT_EQ(
      json::serialize(create_body(config, spec, "hermes-t1")),
      R"({"name":"hermes-t1","buildInfo":{"dockerfileContent":"FROM debian:bookworm-slim\n"},)"
      R"("labels":{"hermes_task_id":"t1"},"env":{},"autoStopInterval":0,"target":"eu",)"
      R"("cpu":1,"memory":5,"disk":10})");
}

TEST(DaytonaMessages, ResourcesAreWholeAndNeverNone) {
  const struct {
    const char* name;
    double cpu;
    std::int64_t memory_mb;
    std::int64_t disk_mb;
    std::string expected;
    bool reported = false;
  } cases[] = {
      {"little", 0.25, 100, 100, "1 1 1"},
      {"a bit more than whole", 2.5, 1025, 2049, "3 2 3"},
      {"whole", 2, 2048, 10240, "2 2 10"},
      {"more disk than there is", 1, 5120, 51200, "1 5 10", true},
      {"as the service likes", 0, 0, 0, "- - -"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EnvironmentSpec spec{
        .container = {.cpu = c.cpu, .memory_mb = c.memory_mb, .disk_mb = c.disk_mb}};
    const json::object body = create_body({.image = kImage}, spec, "n");
    std::string found;
    for (const char* key : {"cpu", "memory", "disk"}) {
      const json::value* const value = body.if_contains(key);
      found += (found.empty() ? "" : " ") + (value ? json::serialize(*value) : "-");
    }
    EXPECT_EQ(found, c.expected);
    EXPECT_FALSE(disk_notice(spec.container)) << "nobody asked for the default";
    spec.container.disk_is_set = true;
    EXPECT_EQ(disk_notice(spec.container).has_value(), c.reported);
  }
}

TEST(DaytonaMessages, NamesAreUpstreamsWhereTheyCanBe) {
  EXPECT_EQ(daytona_name("default"), "hermes-default");
  EXPECT_EQ(daytona_name("a_b.c-1"), "hermes-a_b.c-1");
  const std::string odd = daytona_name("a b/c");
  EXPECT_TRUE(odd.starts_with("hermes-a_b_c-")) << odd;
  EXPECT_NE(odd, daytona_name("a b:c"));
  EXPECT_LE(daytona_name(std::string(1000, 'x')).size(), 100u);
}

TEST(DaytonaMessages, EveryStateMeansSomething) {
  using enum DaytonaStanding;
  const struct {
    const char* state;
    DaytonaStanding expected;
  } cases[] = {
      {"started", ready},
      {"stopped", idle},
      {"archived", idle},
      {"paused", idle},
      {"error", failed},
      {"build_failed", failed},
      {"destroyed", gone},
      {"destroying", gone},
      {"creating", on_the_way},
      {"restoring", on_the_way},
      {"starting", on_the_way},
      {"stopping", on_the_way},
      {"archiving", on_the_way},
      {"pending_build", on_the_way},
      {"resizing", on_the_way},
      {"building_snapshot", on_the_way},
      {"snapshotting", on_the_way},
      {"pulling_snapshot", on_the_way},
      {"unknown", on_the_way},
      {"not invented yet", on_the_way},
  };
  for (const auto& c : cases) EXPECT_EQ(standing_of(c.state), c.expected) << c.state;
}

TEST(DaytonaMessages, ASandboxIsReadAndAnythingElseIsNone) {
  const auto facts = daytona_facts(
      R"({"id":"i","name":"n","state":"started","labels":{"hermes_task_id":"t"},"cpu":2,)"
      R"("memory":4,"disk":8,"toolboxProxyUrl":"https://x/toolbox/","errorReason":null})");
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->toolbox, "https://x/toolbox");
  EXPECT_EQ(facts->task, "t");
  EXPECT_EQ(facts->memory_gib, 4);
  EXPECT_EQ(daytona_facts(R"({"id":"i"})")->name, "i");
  for (const char* answer : {"", "[]", "{}", R"({"id":7})", "<html>", "null"}) {
    EXPECT_FALSE(daytona_facts(answer)) << answer;
    EXPECT_FALSE(daytona_list(answer)) << answer;
  }
  const auto list = daytona_list(R"({"items":[{"id":"a"},7,{"id":"b"}],"nextCursor":null})");
  ASSERT_TRUE(list);
  EXPECT_EQ(list->size(), 2u);
}

TEST(DaytonaMessages, TheVendorsOwnWordsAreFound) {
  EXPECT_EQ(daytona_complaint(403, R"({"statusCode":403,"message":"Total CPU limit exceeded."})"),
            "Total CPU limit exceeded.");
  EXPECT_EQ(daytona_complaint(400, R"({"message":["a is wrong","b too"],"error":"Bad Request"})"),
            "a is wrong; b too");
  EXPECT_EQ(daytona_complaint(502, "<html>Bad gateway</html>\n"), "<html>Bad gateway</html>");
  EXPECT_EQ(daytona_complaint(503, ""), "HTTP 503");
  EXPECT_LE(daytona_complaint(500, std::string(100'000, 'x')).size(), 1000u);
}

}  // namespace
}  // namespace talaria::environment::daytona
