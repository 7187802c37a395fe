// The JSON-lines protocol through the built program.
#include <boost/json/serialize.hpp>

#include "support/talaria_test.h"

namespace talaria::test {
namespace {

class LinesTest : public TalariaTest {};

TEST_F(LinesTest, AnswersComeInTheOrderTheyAreReady) {
  LinesClient agent(world_);
  const int slow = agent.send({.command = "until [ -e ../go ]; do sleep 0.01; done; echo slow"});
  EXPECT_EQ(output_of(agent.run("echo quick")), "quick");
  agent.run("touch ../go");
  EXPECT_EQ(output_of(agent.result(slow)), "slow");
}

TEST_F(LinesTest, ALineThatIsNoJsonIsAnsweredAndTheNextOneCounts) {
  LinesClient agent(world_);
  agent.send_line("this is no JSON");
  const json::object answer = agent.unasked_answer();
  EXPECT_TRUE(answer.at("id").is_null());
  EXPECT_EQ(answer.at("error").as_object().at("kind").as_string(), "bad_request");
  EXPECT_EQ(output_of(agent.run("echo next")), "next");
}

TEST_F(LinesTest, AnUnknownToolNamesThoseThereAre) {
  LinesClient agent(world_);
  agent.send_line(R"({"id":50,"tool":"nope","args":{}})");
  const json::object answer = agent.answer(50);
  EXPECT_EQ(answer.at("error").as_object().at("kind").as_string(), "not_found");
  EXPECT_NE(json::serialize(answer).find("terminal"), std::string::npos);
}

TEST_F(LinesTest, EnvironmentsAreListedOnceTheyAreUsed) {
  LinesClient agent(world_);
  agent.run("true");
  agent.send_line(R"({"id":50,"method":"env.list"})");
  const std::string answer = json::serialize(agent.answer(50));
  EXPECT_NE(answer.find(R"("target":"local")"), std::string::npos) << answer;
}

TEST_F(LinesTest, AHundredCallsAtOnceAreAllAnswered) {
  LinesClient agent(world_);
  std::vector<int> ids;
  for (int i = 0; i < 100; ++i) {
    ids.push_back(agent.send({.command = "echo $((" + std::to_string(i) + " * 2))"}));
  }
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(output_of(agent.result(ids[static_cast<std::size_t>(i)])), std::to_string(i * 2));
  }
}

TEST_F(LinesTest, ABurstOfCallsWithABigEnvironmentIsAllAnswered) {
  world_.set("BIG", std::string(100'000, 'x'));
  LinesClient agent(world_);
  std::vector<int> ids;
  for (int i = 0; i < 200; ++i) ids.push_back(agent.send({.command = "echo ${#BIG}"}));
  for (const int id : ids) EXPECT_EQ(output_of(agent.result(id)), "100000");
}

TEST_F(LinesTest, ARequestWithoutALineEndAtTheEndOfInputCounts) {
  LinesClient agent(world_);
  agent.program().write(R"({"id":50,"tool":"terminal","args":{"command":"echo last"}})");
  EXPECT_EQ(agent.end(), 0);
  EXPECT_EQ(output_of(agent.result(50)), "last");
}

TEST_F(LinesTest, AClientThatGoesAwayTakesItsCommandsAlong) {
  LinesClient agent(world_);
  agent.send({.command = "echo $$ > ../pid; sleep 300"});
  const ProcessName shell = process_in("pid");
  agent.program().close_output();
  ASSERT_TRUE(agent.program().wait());
  EXPECT_FALSE(is_alive(shell));
}

TEST_F(LinesTest, AnUnknownTargetIsAnErrorAndNothingRunsHere) {
  world_.set("TERMINAL_ENV", "no-such-target");
  LinesClient agent(world_);
  const json::object result = agent.run("touch ran");
  EXPECT_NE(error_of(result).find("no-such-target"), std::string::npos) << error_of(result);
  EXPECT_FALSE(std::filesystem::exists(world_.path("work/ran")));
}

class MethodsTest : public TalariaTest {
 protected:
  // `method` with `params`: its result, or {"kind","message"}.
  static json::object ask(LinesClient& agent, const std::string& method,
                          const std::string& params) {
    const int id = 1000;
    agent.send_line(R"({"id":)" + std::to_string(id) + R"(,"method":")" + method +
                    R"(","params":)" + params + "}");
    const json::object answer = agent.answer(id);
    return answer.at(answer.contains("result") ? "result" : "error").as_object();
  }
};

TEST_F(MethodsTest, EnvListNamesTasksAndLastUse) {
  LinesClient agent(world_);
  EXPECT_TRUE(ask(agent, "env.list", "{}").at("environments").as_array().empty());
  agent.run({.command = "true", .task = "a"});
  agent.run({.command = "true", .task = "b"});
  const json::array list = ask(agent, "env.list", "{}").at("environments").as_array();
  ASSERT_EQ(list.size(), 1u);
  const json::object& one = list[0].as_object();
  EXPECT_EQ(one.at("id").as_string(), "default");
  EXPECT_EQ(one.at("target").as_string(), "local");
  EXPECT_EQ(one.at("tasks"), (json::array{"a", "b"}));
  EXPECT_NEAR(static_cast<double>(one.at("last_use").as_int64()),
              static_cast<double>(::time(nullptr)), 60);
}

TEST_F(MethodsTest, EnvRemoveLetsTheNextCallMakeAnother) {
  LinesClient agent(world_);
  EXPECT_EQ(ask(agent, "env.remove", R"({"id":"default"})").at("kind").as_string(), "not_found");
  agent.run("export A=1");
  EXPECT_EQ(ask(agent, "env.remove", R"({"id":"default"})").at("removed").to_number<int>(), 1);
  EXPECT_TRUE(ask(agent, "env.list", "{}").at("environments").as_array().empty());
  EXPECT_EQ(output_of(agent.run("echo $A")), "1");
}

TEST_F(MethodsTest, EnvOverrideMovesATaskAndCanBeTakenBack) {
  LinesClient agent(world_);
  EXPECT_TRUE(ask(agent, "env.override", R"({"task":"a","overrides":{"cwd":"/usr"}})").empty());
  EXPECT_EQ(output_of(agent.run({.command = "pwd", .task = "a"})), "/usr");
  EXPECT_EQ(output_of(agent.run({.command = "pwd", .task = "b"})), world_.path("work"));
  EXPECT_TRUE(ask(agent, "env.override", R"({"task":"a","overrides":null})").empty());
  EXPECT_EQ(output_of(agent.run({.command = "pwd", .task = "a"})), "/usr");
}

TEST_F(MethodsTest, WhatMakesNoSenseIsABadRequestThatNamesIt) {
  LinesClient agent(world_);
  const auto refused = [&](const std::string& method, const std::string& params) {
    const json::object error = ask(agent, method, params);
    EXPECT_EQ(error.at("kind").as_string(), "bad_request") << params;
    return std::string(error.at("message").as_string());
  };
  EXPECT_EQ(refused("env.remove", "{}"), "params.id: expected a string");
  EXPECT_EQ(refused("env.remove", R"({"id":7})"), "params.id: expected a string");
  EXPECT_EQ(refused("env.override", R"({"overrides":{}})"), "params.task: expected a string");
  EXPECT_TRUE(refused("env.override", R"({"task":"a"})").starts_with("params.overrides: "));
  EXPECT_TRUE(refused("env.override", R"({"task":"a","overrides":{"colour":"red"}})")
                  .starts_with("unknown override 'colour'"));
}

}  // namespace
}  // namespace talaria::test
