// What is kept on disk of a process before it begins: without it there is no process.
#include <filesystem>
#include <fstream>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>

#include "support/process_tool_test.h"

namespace talaria::test {
namespace {

using testing::HasSubstr;

class ProcessJournalTest : public ProcessToolTest {
 protected:
  std::string jobs() const { return world_.runner_directory() + "/jobs"; }
  // In place of the directory there is something that no file can be made in: what is closed to
  // writers does not stop root.
  void put_a_file_in_its_place() {
    std::filesystem::remove_all(jobs());
    std::ofstream(jobs()) << "no directory";
  }
  void put_it_back() {
    std::filesystem::remove(jobs());
    std::filesystem::create_directory(jobs());
    std::filesystem::permissions(jobs(), std::filesystem::perms::owner_all);
  }
};

TEST_F(ProcessJournalTest, AStartThatCannotBeNotedFailsAndLeavesNothing) {
  LinesClient agent(world_);
  agent.run("true");
  put_a_file_in_its_place();
  for (const json::object& more : {json::object{}, json::object{{"pty", true}}}) {
    const json::object failed = agent.start("touch ../ran; sleep 4711", more);
    EXPECT_EQ(code_of(failed), -1);
    EXPECT_FALSE(failed.contains("session_id"));
    EXPECT_THAT(error_of(failed), testing::StartsWith("Failed to start background process: "));
    EXPECT_THAT(error_of(failed), HasSubstr(jobs() + "/proc_"));
    EXPECT_THAT(error_of(failed), HasSubstr("Not a directory"));
    EXPECT_THAT(error_of(failed), HasSubstr("then start it again"));
  }
  EXPECT_TRUE(agent.process({{"action", "list"}}).at("processes").as_array().empty());
  EXPECT_FALSE(std::filesystem::exists(world_.path("ran")));
  EXPECT_EQ(output_of(agent.run("echo goes on")),
            "goes on");  // what is in the foreground needs none
  const Runner runner = *world_.runner();
  EXPECT_TRUE(eventually([&] { return runner.zombies().empty(); }));
  put_it_back();
  EXPECT_EQ(code_of(wait(agent, agent.start_process("exit 6"))), 6);
}

TEST_F(ProcessJournalTest, AnEndThatCannotBeNotedIsReportedAllTheSame) {
  LinesClient agent(world_);
  const json::object subscribed = agent.ask("events.subscribe");
  ASSERT_TRUE(subscribed.contains("consumer"));
  const std::string id = agent.start_process(
      "until [ -e ../go ]; do sleep 0.01; done; echo bye; exit 5", {{"notify_on_complete", true}});
  put_a_file_in_its_place();
  std::ofstream(world_.path("go")) << "go";
  const json::object event = agent.event();
  EXPECT_EQ(text(event, "session_id"), id);
  EXPECT_EQ(code_of(event), 5);
  EXPECT_EQ(code_of(poll(agent, id)), 5);
  EXPECT_EQ(text(wait(agent, id), "output"), "bye\n");
  put_it_back();
}

TEST_F(ProcessJournalTest, WhatIsHandedOverGoesOnAndSaysThatItCouldNotBeNoted) {
  LinesClient agent(world_);
  agent.run("true");
  put_a_file_in_its_place();
  const json::object handed = agent.call(
      "terminal", {{"command", "sleep 100"}, {"timeout", 1}, {"on_timeout", "background"}});
  EXPECT_THAT(notices_of(handed), HasSubstr("Not a directory"));
  const std::string id = text(handed, "session_id");
  EXPECT_EQ(text(poll(agent, id), "status"), "running");
  EXPECT_EQ(text(kill(agent, id), "status"), "killed");
  put_it_back();
}

}  // namespace
}  // namespace talaria::test
