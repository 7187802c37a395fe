// Interrupts belong to a call, not to whoever made it: what was interrupted before says nothing
// about the next one.
#include <filesystem>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>

#include "support/process_tool_test.h"

namespace talaria::test {
namespace {

class InterruptTest : public ProcessToolTest {
 protected:
  static std::string line(int id, const std::string& command, bool background = false) {
    json::object arguments{{"command", command}};
    if (background) arguments["background"] = true;
    return json::serialize(json::object{
        {"id", id}, {"tool", "terminal"}, {"args", std::move(arguments)}, {"task", "t"}});
  }
  static std::string cancel_line(int id) {
    return json::serialize(json::object{{"id", 99}, {"cancel", id}});
  }
  bool ran() const { return std::filesystem::exists(world_.path("ran")); }
};

// Upstream's interrupts hang on thread ids, which come again; ours on the ids of calls, which may.
TEST_F(InterruptTest, TheNextCallWithTheSameIdIsNotInterrupted) {
  LinesClient agent(world_);
  for (int round = 0; round < 3; ++round) {
    agent.send_line(line(7, "echo $$ > ../pid; sleep 100"));
    ASSERT_TRUE(appears("pid"));
    agent.send_line(cancel_line(7));
    EXPECT_EQ(code_of(agent.result(7)), 130);
    std::filesystem::remove(world_.path("pid"));
    agent.send_line(line(7, "echo whole"));
    const json::object next = agent.result(7);
    EXPECT_EQ(code_of(next), 0);
    EXPECT_EQ(output_of(next), "whole");
  }
}

TEST_F(InterruptTest, ACancelOfWhatIsNotThereInterruptsNothingLater) {
  LinesClient agent(world_);
  agent.run("true");
  agent.send_line(cancel_line(7));
  agent.send_line(line(7, "echo whole"));
  EXPECT_EQ(output_of(agent.result(7)), "whole");
}

// Both lines are there before the call begins.
TEST_F(InterruptTest, ACallThatIsCancelledBeforeItBeginsStartsNothing) {
  LinesClient agent(world_);
  agent.run("true");
  for (const bool background : {false, true}) {
    agent.send_line(line(7, "touch ../ran; sleep 100", background) + "\n" + cancel_line(7));
    const std::string answer = json::serialize(agent.answer(7));
    EXPECT_THAT(answer,
                testing::HasSubstr(background ? "cancelled before it started" : "interrupted"));
    const json::object list = agent.process({{"action", "list"}});
    EXPECT_TRUE(list.at("processes").as_array().empty()) << json::serialize(list);
    EXPECT_EQ(output_of(agent.run("echo next")), "next");
    EXPECT_FALSE(ran()) << background;
  }
}

}  // namespace
}  // namespace talaria::test
