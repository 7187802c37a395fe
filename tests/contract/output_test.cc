// What is shown of a command's output, and that output never holds a call up.
#include <boost/json/serialize.hpp>

#include "support/talaria_test.h"

namespace talaria::test {
namespace {

using std::chrono::seconds;

class OutputTest : public TalariaTest {
 protected:
  // A call must not wait for whoever holds its output: the limit is far below that.
  json::object run_promptly(const std::string& command) {
    LinesClient agent(world_);
    return agent.result(agent.send({.command = command}), seconds(5));
  }
};

TEST_F(OutputTest, NothingIsLostOfManyLines) {
  LinesClient agent(world_);
  EXPECT_EQ(output_of(agent.run("seq 1 3000 | md5sum; seq 1 3000 | tail -1")),
            output_of(agent.run("seq 1 3000 > f; md5sum < f; tail -1 f")));
  EXPECT_TRUE(output_of(agent.run("seq 1 3000")).ends_with("2999\n3000"));
}

TEST_F(OutputTest, MultibyteCharactersSurviveEveryBoundary) {
  std::string expected;
  for (int i = 0; i < 10'000; ++i) expected += "€";
  const json::object result = LinesClient(world_).run("for i in {1..10000}; do printf '€'; done");
  EXPECT_EQ(output_of(result), expected);
}

TEST_F(OutputTest, BadBytesAreReplacedAndAsciiSurvives) {
  EXPECT_EQ(output_of(LinesClient(world_).run("printf 'a\\xff\\xfeb'")),
            "a\xEF\xBF\xBD\xEF\xBF\xBD"
            "b");
}

TEST_F(OutputTest, NulAndCrLfArePreserved) {
  EXPECT_EQ(output_of(LinesClient(world_).run("printf 'a\\0b\\r\\nc'")),
            std::string("a\0b\r\nc", 6));
}

TEST_F(OutputTest, ExecPassesEveryByteOn) {
  const Finished all = world_.exec(
      "printf 'a\\xff\\0\\r\\n\\n'; for i in {0..255}; do printf \"\\x$(printf %x $i)\"; done");
  std::string expected("a\xff\0\r\n\n", 6);
  for (int i = 0; i < 256; ++i) expected += static_cast<char>(i);
  EXPECT_EQ(all.out, expected);
}

TEST_F(OutputTest, BigOutputIsBoundedAndTheRestIsInAFile) {
  LinesClient agent(world_);
  const json::object result = agent.run("seq 1 400000");
  const std::string shown = output_of(result);
  EXPECT_LT(shown.size(), 60'000u);
  EXPECT_TRUE(shown.starts_with("1\n2\n3\n"));
  EXPECT_TRUE(shown.ends_with("399999\n400000"));
  EXPECT_EQ(result.at("output_total_bytes").to_number<std::int64_t>(), 2'688'895);
  const std::string file(result.at("full_output_path").as_string());
  EXPECT_EQ(output_of(agent.run("cmp '" + file + "' <(seq 1 400000) && echo same")), "same");
}

TEST_F(OutputTest, SmallOutputHasNoFile) {
  EXPECT_FALSE(LinesClient(world_).run("echo a").contains("full_output_path"));
}

TEST_F(OutputTest, ABackgroundChildThatHoldsTheOutputDoesNotHoldTheCall) {
  const json::object result = run_promptly("sleep 300 & echo started");
  EXPECT_EQ(output_of(result), "started");
  EXPECT_EQ(result.at("background_children").to_number<int>(), 1);
}

TEST_F(OutputTest, ADisownedSessionLeaderDoesNotHoldTheCall) {
  EXPECT_EQ(
      output_of(run_promptly("setsid sleep 300 >/dev/null 2>&1 </dev/null & disown; echo started")),
      "started");
}

TEST_F(OutputTest, AChildThatPrintsForEverDoesNotHoldTheCall) {
  EXPECT_TRUE(output_of(run_promptly("while :; do echo noise; sleep 0.05; done & echo started"))
                  .find("started") != std::string::npos);
}

TEST_F(OutputTest, AChildThatPrintsWithoutPauseDoesNotHoldTheCall) {
  const json::object result = run_promptly("yes & sleep 0.2; echo started");
  EXPECT_EQ(code_of(result), 0);
}

TEST_F(OutputTest, AProcessSubstitutionThatLivesOnDoesNotHoldTheCall) {
  EXPECT_EQ(output_of(run_promptly("exec 3> >(sleep 300); echo started")), "started");
}

TEST_F(OutputTest, WhatTheShellPrintedBeforeItsEndIsAllThere) {
  LinesClient agent(world_);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(output_of(agent.run("sleep 300 & seq 1 8000 | tail -c 30000; printf end")).size(),
              30'003u);
  }
}

TEST_F(OutputTest, AReaderThatDoesNotReadSlowsTheCommandDownAndLosesNothing) {
  ProgramSpec spec = world_.spec({"exec", "seq 1 1000000; touch done"});
  spec.read_output = false;
  Program slow(spec);
  const std::string marker = world_.path("work/done");
  // Nobody reads, so it cannot get far; the wait is for a sign that would be wrong.
  EXPECT_FALSE(eventually([&] { return std::filesystem::exists(marker); }, seconds(1)));
  slow.kill(SIGKILL);
  EXPECT_TRUE(slow.wait());
}

TEST_F(OutputTest, AReaderThatGoesAwayEndsTheCommand) {
  auto talaria = world_.start({"exec", "echo $$ > ../pid; yes"});
  const ProcessName shell = process_in("pid");
  ASSERT_TRUE(talaria->read_until_contains("y\ny\n"));
  talaria->close_output();
  const auto status = talaria->wait();
  ASSERT_TRUE(status);
  EXPECT_EQ(exit_code_of(*status), 141);
  EXPECT_TRUE(eventually([&] { return !is_alive(shell); }));
}

TEST_F(OutputTest, TheProgramsOwnOutputIsClosedThoughItStartedARunner) {
  auto talaria = world_.start({"exec", "sleep 300 & echo started"});
  EXPECT_TRUE(talaria->wait());
  EXPECT_TRUE(talaria->output_closed());
}

}  // namespace
}  // namespace talaria::test
