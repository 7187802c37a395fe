// Our requests to Daytona's API against those of the vendor's SDK (requests/daytona.txt), operation
// by operation. Where we differ, on purpose:
//
// - We set no label `code-toolbox-language` (the SDK's own, for its code runner) and no variables.
// - Before one is made it is looked for by name and label, and what is to be stopped at the end is
//   asked over a terminal first whether it is idle.
// - What runs in a sandbox goes over terminals, not by `POST /process/execute`.
// - One that was deleted is not waited for.
#include <fstream>
#include <map>
#include <set>

#include <boost/json/serialize.hpp>

#include "clouds/daytona_fixture.h"

namespace talaria::test {
namespace {

using testing::IsSupersetOf;
using testing::UnorderedElementsAre;
using testing::UnorderedElementsAreArray;

using Requests = std::set<std::string>;

// "METHOD {fields}", with sorted names: a request that two clients can be compared by.
json::value sorted(const json::value& value) {
  if (!value.is_object()) return value;
  std::map<std::string, json::value> by_name;
  for (const auto& [name, one] : value.get_object()) by_name.emplace(name, sorted(one));
  json::object made;
  for (auto& [name, one] : by_name) made.emplace(name, std::move(one));
  return made;
}

std::string normal_request(const std::string& method, json::object fields) {
  if (json::value* const sandbox = fields.if_contains("sandbox")) {
    const std::string_view name = sandbox->as_string();
    if (!name.starts_with("hermes-")) *sandbox = "ID";
  }
  // A terminal is called as its client likes.
  if (json::value* const session = fields.if_contains("session")) *session = "TERMINAL";
  json::value* const query = fields.if_contains("query");
  if (query && query->as_object().contains("cols")) query->as_object()["id"] = "TERMINAL";
  if (json::value* const body = fields.if_contains("body")) {
    json::object& said = body->as_object();
    if (json::value* const env = said.if_contains("env")) *env = json::object();
    if (json::value* const labels = said.if_contains("labels")) {
      labels->as_object().erase("code-toolbox-language");
    }
  }
  return method + " " + json::serialize(sorted(fields));
}

class DaytonaRequests : public DaytonaTest {
 protected:
  static constexpr const char* kTask = "t1";  // as in the file

  void SetUp() override {
    DaytonaTest::SetUp();
    if (IsSkipped()) return;
    world_.set("DAYTONA_TARGET", "eu");
    world_.set("TERMINAL_CONTAINER_MEMORY", "5120");
    world_.set("TERMINAL_CONTAINER_DISK", "10240");
    // A task with an image of its own has a sandbox of its own.
    const Finished said =
        world_.run({"env", "override", kTask, "daytona_image=debian:bookworm-slim"});
    ASSERT_EQ(said.code(), 0) << said.err;
  }

  static constexpr const char* kApi = " /sandbox";
  static constexpr const char* kDaemon = " /process/";

  // Those of the SDK to the API or the daemon of a sandbox, for one operation.
  static Requests vendors(const std::string& operation, const char* to = kApi) {
    std::ifstream file(std::string(TALARIA_FAKE_CLOUDS) + "/requests/daytona.txt");
    Requests found;
    bool is_meant = false;
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with("# ")) is_meant = line == "# " + operation;
      const std::size_t at = line.find(" {");
      if (!is_meant || at == std::string::npos || !line.contains(to)) continue;
      found.insert(normal_request(line.substr(0, at), json::parse(line.substr(at)).as_object()));
    }
    EXPECT_FALSE(found.empty()) << operation;
    return found;
  }

  // Ours since the mark.
  Requests ours(const std::string& operation, const char* to = kApi) {
    Requests found;
    for (const json::object& request : cloud_->requests()) {
      const std::string method(request.at("method").as_string());
      if (request.at("operation").as_string() != operation) continue;
      if (!method.contains(to)) continue;
      if (to == kApi) {
        EXPECT_EQ(request.at("headers").at("x-daytona-source").as_string(), "talaria");
      }
      EXPECT_THAT(std::string(request.at("headers").at("user-agent").as_string()),
                  testing::StartsWith("talaria/"));
      found.insert(normal_request(method, request.at("fields").as_object()));
    }
    return found;
  }
};

TEST_F(DaytonaRequests, AreThoseOfTheVendorsSdk) {
  const std::string by_name = R"(GET /sandbox/:sandbox {"sandbox":"hermes-t1"})";
  const std::string by_label =
      R"(GET /sandbox {"query":{"labels":"{\"hermes_task_id\":\"t1\"}","limit":"1"}})";
  const std::string look = R"(GET /sandbox/:sandbox {"sandbox":"ID"})";
  const std::string begun = R"(POST /sandbox/:sandbox/start {"sandbox":"ID"})";
  const std::string ended =
      R"(POST /sandbox/:sandbox/stop {"query":{"force":"false"},"sandbox":"ID"})";

  cloud_->mark("create");
  LinesClient agent(world_);
  const json::object made = agent.run(TerminalCall{.command = "true", .task = kTask});
  ASSERT_EQ(code_of(made), 0) << made;
  Requests expected = vendors("create");
  expected.insert({by_name, by_label});
  EXPECT_THAT(ours("create"), UnorderedElementsAreArray(expected));

  // By name and by label: what the SDK asks, but for the name that is nobody's.
  Requests lookups = vendors("found by name and by label");
  lookups.erase(R"(GET /sandbox/:sandbox {"sandbox":"hermes-none"})");
  EXPECT_THAT(lookups, UnorderedElementsAre(by_name, by_label));

  cloud_->mark("stop and start");
  EXPECT_EQ(agent.end(), 0);
  ASSERT_TRUE(becomes("stopped", "hermes-t1"));
  LinesClient again(world_);
  EXPECT_EQ(code_of(again.run(TerminalCall{.command = "true", .task = kTask})), 0);
  EXPECT_THAT(vendors("stop and start"), UnorderedElementsAre(look, begun, ended));
  EXPECT_THAT(ours("stop and start"), UnorderedElementsAre(by_name, look, begun, ended));

  cloud_->mark("delete");
  const json::object removed = again.ask("env.remove", {{"id", kTask}, {"force", true}});
  EXPECT_EQ(removed.at("removed").as_int64(), 1) << removed;
  EXPECT_EQ(again.end(), 0);
  Requests deletes = vendors("delete");
  EXPECT_THAT(deletes, IsSupersetOf(ours("delete")));
  EXPECT_THAT(ours("delete"), UnorderedElementsAre(R"(DELETE /sandbox/:sandbox {"sandbox":"ID"})"));
  EXPECT_TRUE(eventually([&] { return cloud_->sandboxes().empty(); }));
}

TEST_F(DaytonaRequests, AStreamIsAskedForAsTheVendorsSdkDoes) {
  cloud_->mark("stream");
  LinesClient agent(world_);
  EXPECT_EQ(code_of(agent.run(TerminalCall{.command = "true", .task = kTask})), 0);
  EXPECT_EQ(agent.end(), 0);
  EXPECT_THAT(ours("stream", kDaemon), UnorderedElementsAreArray(vendors(
                                           "a stream of bytes both ways, by a terminal", kDaemon)));
}

}  // namespace
}  // namespace talaria::test
