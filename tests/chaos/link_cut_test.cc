// The link is cut, again and again, at every kind of place. To the caller nothing happens: each
// byte of output arrives once, each command runs once.
#include <random>

#include "support/cut_proxy.h"
#include "support/talaria_test.h"

namespace talaria::test {
namespace {

class LinkCutTest : public TalariaTest {
 protected:
  void SetUp() override { EXPECT_EQ(world_.exec("true").code(), 0); }  // a runner is there

  static std::vector<Cut> cuts_behind(std::initializer_list<std::size_t> sizes) {
    std::vector<Cut> cuts;
    for (const std::size_t size : sizes) cuts.push_back({.from_runner = size});
    return cuts;
  }
};

constexpr const char* kNumbers = "echo x >> ../runs; seq 1 720000";  // 5 MB

std::string numbers() {
  std::string text;
  for (int i = 1; i <= 720'000; ++i) text += std::to_string(i) + "\n";
  return text;
}

TEST_F(LinkCutTest, TwentyCutsInOutputLoseAndRepeatNothing) {
  std::mt19937 random(1);
  std::vector<Cut> cuts;
  for (int i = 0; i < 20; ++i) cuts.push_back({.from_runner = 1 + random() % 400'000});
  const CutProxy proxy(world_.runner_directory(), cuts);
  const Finished all = world_.exec(kNumbers);
  EXPECT_EQ(all.code(), 0) << all.err;
  EXPECT_TRUE(all.out == numbers()) << all.out.size() << " bytes";
  EXPECT_EQ(world_.read("runs"), "x\n");
  EXPECT_EQ(proxy.cuts_made(), 20u);
}

TEST_F(LinkCutTest, CutsAfterEveryFewBytesOfTheHandshakeRunACommandOnce) {
  std::vector<Cut> cuts;
  for (std::size_t size = 1; size < 140; size += 11) cuts.push_back({.from_runner = size});
  const CutProxy proxy(world_.runner_directory(), cuts);
  const Finished one = world_.exec("echo x >> ../runs; echo done");
  EXPECT_EQ(one.code(), 0) << one.err;
  EXPECT_EQ(one.out, "done\n");
  EXPECT_EQ(world_.read("runs"), "x\n");
}

TEST_F(LinkCutTest, CutsInsideTheRequestRunACommandOnce) {
  std::vector<Cut> cuts;
  for (std::size_t size = 1; size < 700; size += 61) cuts.push_back({.from_controller = size});
  const CutProxy proxy(world_.runner_directory(), cuts);
  const Finished one = world_.exec("echo x >> ../runs; echo done");
  EXPECT_EQ(one.code(), 0) << one.err;
  EXPECT_EQ(one.out, "done\n");
  EXPECT_EQ(world_.read("runs"), "x\n");
}

// Every command's answer is cut off at another place.
TEST_F(LinkCutTest, ACutAnywhereInAnAnswerRunsNoCommandTwice) {
  std::vector<Cut> cuts;
  for (std::size_t size = 1; size <= 300; size += 13) {
    cuts.push_back({.from_runner = size});
    cuts.push_back({});
  }
  const CutProxy proxy(world_.runner_directory(), cuts);
  int runs = 0;
  while (proxy.connections() < cuts.size() && runs < 100) {
    const Finished one =
        world_.run({"exec", "--task", "t", "echo x >> ../runs; export N=$((N + 1)); echo $N"});
    ++runs;
    EXPECT_EQ(one.code(), 0) << one.err;
    EXPECT_EQ(one.out, std::to_string(runs) + "\n");
  }
  EXPECT_EQ(world_.read("runs").size(), 2u * static_cast<std::size_t>(runs));
}

TEST_F(LinkCutTest, ConcurrentCallsOfOneAgentAllSurvive) {
  std::vector<Cut> cuts;
  for (std::size_t i = 0; i < 10; ++i) cuts.push_back({.from_runner = 300 + i * 170});
  const CutProxy proxy(world_.runner_directory(), cuts);
  LinesClient agent(world_);
  std::vector<int> ids;
  for (int i = 0; i < 30; ++i) {
    ids.push_back(agent.send(
        {.command = "echo x >> ../runs; sleep 0.0$((RANDOM % 9)); echo out-" + std::to_string(i)}));
  }
  for (int i = 0; i < 30; ++i) {
    EXPECT_EQ(output_of(agent.result(ids[static_cast<std::size_t>(i)])),
              "out-" + std::to_string(i));
  }
  EXPECT_EQ(world_.read("runs").size(), 60u);
}

TEST_F(LinkCutTest, ACancelWhileTheLinkIsCutStillKills) {
  const CutProxy proxy(world_.runner_directory(), cuts_behind({200, 200, 200}));
  LinesClient agent(world_);
  const int id = agent.send({.command = "echo $$ > ../pid; seq 1 1000; sleep 300"});
  const ProcessName shell = process_in("pid");
  agent.cancel(id);
  EXPECT_EQ(code_of(agent.result(id)), 130);
  EXPECT_FALSE(is_alive(shell));
}

TEST_F(LinkCutTest, StdinSurvivesCutsInBothDirections) {
  std::vector<Cut> cuts;
  for (std::size_t i = 1; i <= 8; ++i) cuts.push_back({.from_controller = i * 90'000});
  const CutProxy proxy(world_.runner_directory(), cuts);
  std::string input;
  for (int i = 0; input.size() < (2u << 20); ++i) input += std::to_string(i) + "\n";
  const Finished all = world_.run({"exec", "--stdin", "cat"}, input);
  EXPECT_EQ(all.code(), 0) << all.err;
  EXPECT_TRUE(all.out == input) << all.out.size() << " of " << input.size() << " bytes";
}

TEST_F(LinkCutTest, TheRunnerKeepsNoDescriptorOfConnectionsThatAreGone) {
  {
    std::vector<Cut> cuts;
    for (int i = 0; i < 20; ++i) cuts.push_back({.from_runner = 150});
    const CutProxy proxy(world_.runner_directory(), cuts);
    EXPECT_EQ(world_.exec("echo x").code(), 0);
  }
  const Runner runner = *world_.runner();
  // One to listen, one to each warm shell's reaper, and one the event loop may have.
  EXPECT_TRUE(eventually([&] { return runner.open_sockets() <= 2 + runner.reapers().size(); }))
      << runner.open_sockets();
}

}  // namespace
}  // namespace talaria::test
