// What goes wrong at Daytona, and what becomes of commands then.
#include <fstream>

#include "clouds/daytona_fixture.h"

namespace talaria::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using DaytonaFaults = DaytonaTest;

json::object error_with(const char* on, int status, const char* message, int times = 1) {
  return {{"on", on}, {"do", "error"}, {"status", status}, {"message", message}, {"times", times}};
}

TEST_F(DaytonaFaults, AWrongKeyIsSaidInTheVendorsWords) {
  world_.set("DAYTONA_API_KEY", "dtn_wrong");
  const std::string error = error_of(run("true"));
  EXPECT_THAT(error, HasSubstr("Invalid credentials"));
  EXPECT_THAT(error, HasSubstr("DAYTONA_API_KEY"));
  EXPECT_THAT(error, Not(HasSubstr("dtn_wrong")));
  EXPECT_EQ(cloud_->requests().size(), 1u) << "to ask again is no use";
  EXPECT_EQ(world_.run({"exec", "true"}).code(), 125) << "126 is for what our own policy refuses";
}

TEST_F(DaytonaFaults, AQuotaIsSaidAndNothingIsLeft) {
  begin({"--cpus", "0"});
  EXPECT_THAT(error_of(run("true")), HasSubstr("Total CPU limit exceeded"));
  EXPECT_TRUE(cloud_->sandboxes().empty());
  EXPECT_THAT(leases(), IsEmpty());
  EXPECT_EQ(count("POST /sandbox"), 1u);
}

TEST_F(DaytonaFaults, AServiceThatWantsAPauseGetsIt) {
  json::object fault = error_with("POST /sandbox", 429, "Rate limit exceeded");
  fault["retry_after"] = 2;
  cloud_->fault(fault);
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_EQ(output_of(run("echo here")), "here");
  EXPECT_GE(std::chrono::steady_clock::now() - begun, std::chrono::seconds(2));
  EXPECT_EQ(count("POST /sandbox"), 2u);
  EXPECT_EQ(cloud_->sandboxes().size(), 1u);
}

TEST_F(DaytonaFaults, AServiceInTroubleIsAskedAgain) {
  cloud_->fault(error_with("GET /sandbox/:sandbox", 503, "come back", 3));
  cloud_->fault(error_with("GET /sandbox", 502, "Bad gateway", 2));
  EXPECT_EQ(output_of(run("echo here")), "here");
  cloud_->fault(error_with("GET /sandbox/:sandbox", 503, "out of order", 100));
  EXPECT_THAT(error_of(run("true")), HasSubstr("out of order"));
}

TEST_F(DaytonaFaults, ALostAnswerToTheWishForOneMakesNoSecond) {
  for (const bool persistent : {true, false}) {
    SCOPED_TRACE(persistent);
    begin();
    world_.set("TERMINAL_CONTAINER_PERSISTENT", persistent ? "true" : "false");
    cloud_->fault({{"on", "POST /sandbox"}, {"do", "lost"}, {"status", 504}});
    LinesClient agent(world_);
    EXPECT_EQ(output_of(agent.run("echo here")), "here");
    EXPECT_EQ(cloud_->sandboxes().size(), 1u);
    EXPECT_EQ(count("POST /sandbox"), 1u);
    EXPECT_EQ(agent.end(), 0);
  }
}

TEST_F(DaytonaFaults, AWishThatNeverArrivedIsSaidAgain) {
  cloud_->fault({{"on", "POST /sandbox"}, {"do", "cut"}});
  LinesClient agent(world_);
  EXPECT_EQ(output_of(agent.run("echo here")), "here");
  EXPECT_EQ(cloud_->sandboxes().size(), 1u);
  EXPECT_EQ(count("POST /sandbox"), 2u);
  EXPECT_EQ(agent.end(), 0);
}

// Somebody who is killed before Daytona has answered must not leave a sandbox nobody knows of.
TEST_F(DaytonaFaults, OneThatWasMadeForAProgramThatWasKilledIsFoundAgain) {
  world_.set("TERMINAL_CONTAINER_PERSISTENT", "false");
  cloud_->fault({{"on", "GET /sandbox/:sandbox"}, {"do", "delay"}, {"seconds", 30}});
  LinesClient killed(world_);
  killed.send({.command = "true"});
  ASSERT_TRUE(eventually([&] { return count("POST /sandbox") == 1; }));
  killed.program().kill(SIGKILL);
  ASSERT_TRUE(killed.program().wait());
  cloud_->forget_faults();
  EXPECT_EQ(output_of(run("echo here")), "here");
  EXPECT_EQ(count("POST /sandbox"), 1u);
  EXPECT_TRUE(eventually([&] { return cloud_->sandboxes().empty(); }));
}

TEST_F(DaytonaFaults, ASlowStartIsWaitedForAndTold) {
  begin({"--delay", "3"});
  EXPECT_EQ(output_of(run("echo here")), "here");
  EXPECT_TRUE(becomes("stopped"));
  const Finished done = world_.run({"exec", "echo again"});
  EXPECT_EQ(done.out, "again\n");
  EXPECT_THAT(done.err, HasSubstr("Daytona starts the sandbox hermes-default"));
}

TEST_F(DaytonaFaults, ASandboxThatVanishesUnderACommandIsReplaced) {
  LinesClient agent(world_);
  EXPECT_EQ(code_of(agent.run("true")), 0);
  const std::string before = id();
  const int lost = agent.send({.command = "echo begun >~/file; sleep 1000"});
  ASSERT_TRUE(appears(at_home(before, "file")));
  cloud_->vanish(before);
  const std::string error = error_of(agent.result(lost, std::chrono::seconds(60)));
  EXPECT_NE(error, "");
  const json::object result = agent.run("echo here; cat ~/file");
  EXPECT_THAT(output_of(result), HasSubstr("here\n"));
  EXPECT_THAT(output_of(result), HasSubstr("No such file")) << "nothing ran twice";
  EXPECT_NE(id(), before);
  EXPECT_EQ(agent.end(), 0);
}

TEST_F(DaytonaFaults, WhoeverFindsItGoneIsToldSo) {
  LinesClient agent(world_);
  EXPECT_EQ(code_of(agent.run("true")), 0);
  vanish_under_agent();
  const json::object result = agent.run("echo here");
  EXPECT_EQ(output_of(result), "here") << result;
  EXPECT_THAT(notices_of(result), HasSubstr("is gone"));
  EXPECT_EQ(agent.end(), 0);
}

TEST_F(DaytonaFaults, ALineThatIsCutUnderACommandLosesNothing) {
  LinesClient agent(world_);
  EXPECT_EQ(code_of(agent.run("true")), 0);
  stop_under_agent();
  cloud_->fault({{"on", "GET /process/pty/create-connect"}, {"do", "cut"}, {"bytes", 10'000}});
  const std::size_t before = count("GET /process/pty/create-connect");
  const json::object result = agent.run("echo once >>~/runs; seq 1 40000 | tail -c 30000");
  EXPECT_EQ(code_of(result), 0) << result;
  EXPECT_THAT(output_of(result), testing::EndsWith("40000"));
  EXPECT_GE(count("GET /process/pty/create-connect"), before + 2) << "it was not cut";
  EXPECT_EQ(output_of(agent.run("head -c 2000000 /dev/zero | wc -c; wc -l <~/runs")), "2000000\n1");
  EXPECT_EQ(agent.end(), 0);
}

TEST_F(DaytonaFaults, OneThatDoesNotStartIsGivenBack) {
  json::object broken{{"on", "GET /sandbox/:sandbox"}, {"do", "error"}};
  broken["status"] = 400;
  broken["message"] = "this sandbox is cursed";
  broken["skip"] = 1;  // the look before it is made
  broken["times"] = 1;
  cloud_->fault(broken);
  EXPECT_THAT(error_of(run("true")), HasSubstr("this sandbox is cursed"));
  EXPECT_TRUE(eventually([&] { return cloud_->sandboxes().empty(); }));
  EXPECT_THAT(leases(), IsEmpty());
}

TEST_F(DaytonaFaults, AnImageThatCannotBeHadIsSaidAndNothingIsLeft) {
  world_.set("TERMINAL_DAYTONA_IMAGE", "localhost/no-such-image:none");
  const std::string error = error_of(run("true"));
  EXPECT_THAT(error, HasSubstr("'build_failed': failed to pull image"));
  EXPECT_TRUE(eventually([&] { return cloud_->sandboxes().empty(); }));
  EXPECT_THAT(leases(), IsEmpty());
}

TEST_F(DaytonaFaults, AStartThatIsRefusedIsSaidInTheVendorsWords) {
  EXPECT_EQ(code_of(run("true")), 0);
  ASSERT_TRUE(becomes("stopped"));
  cloud_->fault(error_with("POST /sandbox/:sandbox/start", 400, "its runner is repaired", 1000));
  EXPECT_THAT(error_of(run("true")), HasSubstr("its runner is repaired"));
  EXPECT_EQ(state(), "stopped");
  cloud_->forget_faults();
  cloud_->fault(error_with("POST /sandbox/:sandbox/start", 400, "somebody else starts it"));
  EXPECT_EQ(output_of(run("echo here")), "here");
}

// The end of our own terminal must not be taken for somebody who is there.
TEST_F(DaytonaFaults, OneWhoseTerminalsEndSlowlyIsStoppedAllTheSame) {
  cloud_->fault({{"on", kTerminalEnds}, {"do", "delay"}, {"seconds", 2.5}, {"times", 100}});
  EXPECT_EQ(code_of(run("true")), 0);
  EXPECT_TRUE(becomes("stopped"));
}

// Such as a page for people, if the address lacks its /api, or of a proxy on the way.
TEST_F(DaytonaFaults, AnswersThatAreNotDaytonasAreTakenForNothingElse) {
  EXPECT_EQ(code_of(run("true")), 0);
  ASSERT_TRUE(becomes("stopped"));
  const struct {
    unsigned status;
    const char* location;
    const char* body;
    const char* expected;
  } cases[] = {
      {200, nullptr, "<html>Sign in", "<html>Sign in"},
      {200, nullptr, "{\"ok\":true}", "{\"ok\":true}"},
      {404, nullptr, "<html>No such page", "<html>No such page"},
      {308, "https://elsewhere.example/api", "", "https://elsewhere.example/api"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.expected);
    json::object answer{{"on", "GET /sandbox/:sandbox"}, {"do", "answer"}, {"times", 100}};
    answer["status"] = c.status;
    answer["body"] = c.body;
    if (c.location) answer["location"] = c.location;
    cloud_->fault(answer);
    const std::string error = error_of(run("true"));
    EXPECT_THAT(error, HasSubstr(c.expected));
    EXPECT_THAT(error, HasSubstr("DAYTONA_API_URL"));
    EXPECT_THAT(error, HasSubstr("GET /sandbox/hermes-default"));
    EXPECT_EQ(leases().size(), 1u) << "it is not gone";
    cloud_->forget_faults();
  }
  EXPECT_EQ(count("POST /sandbox"), 1u);
}

TEST_F(DaytonaFaults, OneThatIsGoneAtTheEndIsNoFailure) {
  LinesClient agent(world_);
  EXPECT_EQ(code_of(agent.run("true")), 0);
  cloud_->vanish(id());
  EXPECT_EQ(agent.end(), 0);
  EXPECT_THAT(leases(), IsEmpty());
}

TEST_F(DaytonaFaults, AnAddressThatIsNoneIsNamed) {
  world_.set("DAYTONA_API_URL", "not an address");
  EXPECT_THAT(error_of(run("true")), HasSubstr("DAYTONA_API_URL"));
}

}  // namespace
}  // namespace talaria::test
