// Timeouts and cancellation end the whole tree of a command, whatever it did to get away, and keep
// what it had printed.
#include "support/talaria_test.h"

namespace talaria::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct Escape {
  const char* name;
  // Writes its pid to ../pid, then stays.
  const char* command;
};

void PrintTo(const Escape& row, std::ostream* out) { *out << row.name; }

constexpr Escape kEscapes[] = {
    {"Child", "sh -c 'echo $$ > ../pid; exec sleep 300'"},
    {"BackgroundChild", "sh -c 'echo $$ > ../pid; exec sleep 300' & sleep 300"},
    {"OwnSession", "setsid sh -c 'echo $$ > ../pid; exec sleep 300' & sleep 300"},
    {"OwnSessionWithoutOutput",
     "setsid sh -c 'echo $$ > ../pid; exec sleep 300' >/dev/null 2>&1 & sleep 300"},
    {"DoubleForked", "(setsid sh -c 'echo $$ > ../pid; exec sleep 300' & ) & sleep 300"},
    {"Orphaned", "(sh -c 'echo $$ > ../pid; exec sleep 300' & exit) ; sleep 300"},
    {"IgnoresTerm", "sh -c 'trap \"\" TERM; echo $$ > ../pid; while :; do sleep 1; done'"},
    {"ShellIgnoresEverything", "trap '' TERM INT HUP; echo $$ > ../pid; while :; do sleep 1; done"},
    {"GroupWithoutItsLeader",
     "set -m; sh -c 'sh -c \"echo \\$\\$ > ../pid; exec sleep 300\" &'; sleep 300"},
    {"Stopped", "sh -c 'echo $$ > ../pid; kill -STOP $$; sleep 300'"},
    {"NoHup", "nohup sh -c 'echo $$ > ../pid; exec sleep 300' >/dev/null 2>&1"},
};

class Escaping : public TalariaTest, public testing::WithParamInterface<Escape> {};

TEST_P(Escaping, IsKilledWithATimeout) {
  LinesClient agent(world_);
  const int id = agent.send({.command = GetParam().command, .timeout = 1});
  const ProcessName process = process_in("pid");
  ASSERT_GT(process.pid, 0);
  const json::object result = agent.result(id, seconds(10));
  EXPECT_EQ(code_of(result), 124);
  EXPECT_EQ(output_of(result), "[Command timed out after 1s]");
  EXPECT_FALSE(is_alive(process));  // at once: the answer comes when the tree is empty
  EXPECT_FALSE(result.contains("survivors"));
  EXPECT_EQ(output_of(agent.run("echo next")), "next");
}

TEST_P(Escaping, IsKilledByACancel) {
  LinesClient agent(world_);
  const int id = agent.send({.command = GetParam().command});
  const ProcessName process = process_in("pid");
  ASSERT_GT(process.pid, 0);
  agent.cancel(id);
  const json::object result = agent.result(id, seconds(10));
  EXPECT_EQ(code_of(result), 130);
  EXPECT_FALSE(is_alive(process));
  EXPECT_EQ(output_of(agent.run("echo next")), "next");
}

INSTANTIATE_TEST_SUITE_P(Descendant, Escaping, testing::ValuesIn(kEscapes),
                         [](const auto& info) { return std::string(info.param.name); });

class KillTest : public TalariaTest {};

TEST_F(KillTest, ATimeoutKeepsWhatWasPrinted) {
  LinesClient agent(world_);
  const json::object result = agent.run({.command = "echo partial; sleep 300", .timeout = 1});
  EXPECT_EQ(output_of(result), "partial\n\n[Command timed out after 1s]");
  EXPECT_EQ(code_of(result), 124);
  EXPECT_GE(result.at("duration_ms").to_number<int>(), 1000);
}

TEST_F(KillTest, ACancelKeepsWhatWasPrinted) {
  LinesClient agent(world_);
  const int id = agent.send({.command = "echo partial; touch ready; sleep 300"});
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(world_.path("work/ready")); }));
  agent.cancel(id);
  const json::object result = agent.result(id);
  EXPECT_EQ(output_of(result), "partial\n\n[Command interrupted]");
  EXPECT_EQ(code_of(result), 130);
}

TEST_F(KillTest, ACommandThatIgnoresTermIsDeadSoonAfterACancel) {
  LinesClient agent(world_);
  const int id = agent.send({.command = "trap '' TERM; touch ready; sleep 60"});
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(world_.path("work/ready")); }));
  const auto begin = std::chrono::steady_clock::now();
  agent.cancel(id);
  EXPECT_EQ(code_of(agent.result(id)), 130);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(4));
}

// A process that is dead and not yet waited for once counted as one that ignores TERM.
TEST_F(KillTest, AZombieInTheTreeDoesNotCostTheGrace) {
  LinesClient agent(world_);
  const auto takes = [&] {
    const int id = agent.send({.command = "sh -c 'true & exec sleep 300'"});
    EXPECT_TRUE(eventually([&] {
      const auto runner = world_.runner();
      return runner && !runner->zombies().empty();
    }));
    const auto begin = std::chrono::steady_clock::now();
    agent.cancel(id);
    EXPECT_EQ(code_of(agent.result(id)), 130);
    const auto taken = std::chrono::steady_clock::now() - begin;
    EXPECT_TRUE(eventually([&] { return world_.runner()->zombies().empty(); }));
    return taken;
  };
  EXPECT_TRUE(once_within(milliseconds(900), takes));
}

TEST_F(KillTest, ACommandMayTidyUpWhenItIsTerminated) {
  LinesClient agent(world_);
  const int id = agent.send(
      {.command =
           "trap 'echo tidy > ../tidied; exit' TERM; touch ready; while :; do sleep 0.05; done"});
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(world_.path("work/ready")); }));
  agent.cancel(id);
  EXPECT_EQ(code_of(agent.result(id)), 130);
  EXPECT_EQ(world_.read("tidied"), "tidy\n");
}

TEST_F(KillTest, ACancelOfACallThatIsOverIsHarmless) {
  LinesClient agent(world_);
  const int id = agent.send({.command = "true"});
  agent.result(id);
  EXPECT_FALSE(agent.answer(agent.cancel(id)).empty());
  EXPECT_EQ(output_of(agent.run("echo next")), "next");
}

// An interrupt that was left behind once hit whoever came next in the same place: here the same
// request id, the same session and a shell that waited meanwhile.
TEST_F(KillTest, ACancelIsNotLeftForTheNextCall) {
  LinesClient agent(world_);
  const std::string call = R"({"id":77,"task":"t","tool":"terminal","args":{"command":)";
  agent.send_line(call + R"("touch ready; sleep 300"}})");
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(world_.path("work/ready")); }));
  agent.cancel(77);
  EXPECT_EQ(code_of(agent.result(77)), 130);
  agent.answer(agent.cancel(77));  // once more, when it is over
  agent.send_line(call + R"("echo whole"}})");
  EXPECT_EQ(output_of(agent.result(77)), "whole");
}

TEST_F(KillTest, ACancelHitsOnlyItsCall) {
  LinesClient agent(world_);
  const int other =
      agent.send({.command = "touch other; until [ -e go ]; do sleep 0.01; done; echo whole"});
  const int id = agent.send({.command = "touch one; sleep 300"});
  for (const char* name : {"work/one", "work/other"}) {
    ASSERT_TRUE(eventually([&] { return std::filesystem::exists(world_.path(name)); }));
  }
  agent.cancel(id);
  EXPECT_EQ(code_of(agent.result(id)), 130);
  agent.run("touch go");
  EXPECT_EQ(output_of(agent.result(other)), "whole");
}

TEST_F(KillTest, AForkBombOfSleepersIsEmptiedByATimeout) {
  LinesClient agent(world_);
  const json::object result = agent.result(
      agent.send(
          {.command = "for i in {1..200}; do setsid sleep 300 & done; sleep 300", .timeout = 2}),
      seconds(20));
  EXPECT_EQ(code_of(result), 124);
  EXPECT_FALSE(result.contains("survivors"));
  EXPECT_TRUE(eventually([&] { return world_.runner()->shells().size() <= 2; }, seconds(2)));
}

TEST_F(KillTest, AnAgentThatEndsByTermTakesItsCommandsAlong) {
  LinesClient agent(world_);
  agent.send({.command = "echo $$ > ../pid; sleep 300"});
  const ProcessName shell = process_in("pid");
  agent.program().kill(SIGTERM);
  ASSERT_TRUE(agent.program().wait());
  EXPECT_FALSE(is_alive(shell));
}

TEST_F(KillTest, TheEndOfInputLetsRunningCallsFinish) {
  LinesClient agent(world_);
  const int id =
      agent.send({.command = "touch on; until [ -e go ]; do sleep 0.01; done; echo whole"});
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(world_.path("work/on")); }));
  agent.program().close_stdin();
  world_.exec("touch go");
  EXPECT_EQ(agent.end(), 0);
  EXPECT_EQ(output_of(agent.result(id)), "whole");
}

}  // namespace
}  // namespace talaria::test
