// The JSON-lines protocol through the built program.
#include <boost/json/serialize.hpp>

#include "support/talaria_test.h"

namespace talaria {
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

}  // namespace
}  // namespace talaria
